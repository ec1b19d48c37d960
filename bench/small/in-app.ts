import { setTimeout as sleep } from 'node:timers/promises'
import { loadConfig } from '../../src/config.ts'
import { openProgram } from '../../src/open.ts'
import type { Program } from '../../src/program.ts'
import { startFcmReceiver } from '../support/fcm-receiver.ts'
import { openCaller } from '../support/http.ts'
import type { Result } from '../support/result.ts'
import { meter, type SmallOptions } from './loads.ts'
import { openRig, type Rig } from './rig.ts'

const INSTALLS = 10_000
const LOOK_MS = 20
const GIVE_UP_MS = 60_000

/** Measures in-app messages to one user each, until each user has theirs, without and with a push that announces it. */
export async function measureInAppToOne(options: SmallOptions): Promise<Result[]> {
  const receiver = await startFcmReceiver()
  const rig = await openRig({ ...options, receiver, installs: [INSTALLS] })
  const { config } = await loadConfig({ environment: rig.data.environment, flags: { dataDir: rig.data.dir } })
  const eyes = openProgram({ config })
  try {
    await eyes.kernel.db.write((trx) => trx('users').update({ in_app_enabled: true }))
    const caller = await openCaller(rig.address, rig.apps[0]!.credentials)
    const body = { uid: 'welcome', starter: 'welcome' }
    await caller.call({ method: 'POST', path: '/messages/v1/templates', body })
    caller.close()
    return [
      ...(await measureSends(rig, eyes, options, {})),
      ...(await measureSends(rig, eyes, options, { notification: { title: 'Hello', message: 'See inside.' } })),
    ]
  } finally {
    await eyes.close()
    await rig.close()
    await receiver.stop()
  }
}

async function measureSends(rig: Rig, eyes: Program, options: SmallOptions, also: object): Promise<Result[]> {
  const { sends, connections } = options
  const before = await received(eyes)
  const used = meter(rig)
  const began = performance.now()
  let next = 0
  const sendOn = async () => {
    const caller = await openCaller(rig.address, rig.apps[0]!.credentials)
    while (next < sends) {
      const number = next++
      const body = {
        target: { userIds: [`user-${1 + (number % INSTALLS)}`] },
        template: 'welcome',
        content: { Title: 'A card', Text: `For number ${number}` },
        presentedWhen: 'immediately',
        ttl: { expiresIn: 7, units: 'd' },
        ...also,
      }
      const status = await caller.call({ method: 'POST', path: '/messages/v1/in-app-messages', body })
      if (status !== 202) throw new Error(`an in-app message got ${status}`)
    }
    caller.close()
  }
  await Promise.all(Array.from({ length: connections }, sendOn))
  const acceptedMs = performance.now() - began
  while ((await received(eyes)) < before + sends || (await rig.open()) > 0) {
    if (performance.now() - began > acceptedMs + GIVE_UP_MS) throw new Error('not everybody got their message')
    await sleep(LOOK_MS)
  }
  const doneMs = performance.now() - began
  const cpu = used()
  const name = 'notification' in also ? 'in-app with a push' : 'in-app'
  const rate = (ms: number) => (sends / ms) * 1000
  return [
    { name: `${name}, accepted`, value: rate(acceptedMs), unit: 'sends/s', note: `${sends} to one user each` },
    { name: `${name}, done`, value: rate(doneMs), unit: 'sends/s' },
    { name: `${name}, CPU`, value: (cpu.all * 1000) / sends, unit: 'us/send' },
    ...(cpu.database === undefined
      ? []
      : [{ name: `${name}, CPU of PostgreSQL`, value: (cpu.database * 1000) / sends, unit: 'us/send' }]),
  ]
}

/** The number of messages that users have. */
async function received({ kernel: { db } }: Program): Promise<number> {
  const row = (await db.read('user_messages').count({ count: '*' }).first()) as { count: number | string }
  return Number(row.count)
}
