import { request } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { loadConfig } from '../src/config.ts'
import { openProgram } from '../src/open.ts'
import { findProgram, lacks } from '../test/support/needs.ts'
import { addPerson } from '../test/support/people.ts'
import { watchBroadcast } from './broadcast.ts'
import { type DataDirectory, makeDataDirectory } from './support/audience.ts'
import { openExecutable, start } from './support/executable.ts'
import { startFcmReceiver } from './support/fcm-receiver.ts'
import { medianOf, type Result, spreadOf } from './support/result.ts'

export interface LiveOptions {
  /** Number of installs that get each broadcast. */
  installs: number
  rounds: number
  executable?: string | undefined
}

/** Live views of the console that are open during a broadcast. */
const VIEWS = [0, 1, 20] as const
/** The most views that are open to one person. */
const VIEWS_OF_ONE = 4
const START_MS = 2000
const IDLE_MS = 1000

/** Results of broadcasts with so many views, one entry a round. */
interface Taken {
  rate: number[]
  /** CPU of the server (us) per push. */
  cpu: number[]
}

/**
 * Measures the cost of people who watch a broadcast in the console: pushes a second and processor time of the server per push,
 * with none, one and twenty live views (server-sent events of `/admin/v1`). The rounds take turns, and each ratio is to the
 * broadcast of the same round that nobody watched.
 */
export async function benchLive({ installs, rounds, executable }: LiveOptions): Promise<Result[]> {
  if (findProgram('nghttpd') === undefined) throw new Error(lacks('nghttpd'))
  const program = await openExecutable(executable, ['--max-semi-space-size=4'])
  const receiver = await startFcmReceiver()
  const data = await makeDataDirectory({ installs, blocks: { android: { serviceAccount: receiver.serviceAccount } } })
  const tokens = await tokensOf(data, Math.ceil(Math.max(...VIEWS) / VIEWS_OF_ONE))
  const environment = { ...receiver.environment, APPSVC_DELIVERY_RAMP: '0' }
  const argv = ['serve', '--port', '0', '--data-dir', data.dir]
  const server = await start<{ listening: string }>(program, argv, environment)
  try {
    await sleep(START_MS)
    const address = server.ready.listening
    const one = async (views: number) => {
      const before = server.cpuMs()
      const sent = await watchBroadcast(address, data.serverKey)
      const path = `/admin/v1/apps/${data.app.id}/deliveries/${sent.id}/events`
      const open = Array.from({ length: views }, (_, i) =>
        view(`${address}${path}`, tokens[Math.floor(i / VIEWS_OF_ONE)]!),
      )
      const seconds = await sent.finished
      const cpu = server.cpuMs() - before
      const told = await Promise.all(open)
      if (told.some((events) => events === 0)) throw new Error('a live view was told nothing')
      await sleep(IDLE_MS)
      return { rate: installs / seconds, cpu: (cpu * 1000) / installs }
    }
    await one(0)
    const taken = new Map(VIEWS.map((views): [number, Taken] => [views, { rate: [], cpu: [] }]))
    for (let round = 0; round < rounds; round++) {
      for (const i of VIEWS.keys()) {
        const views = VIEWS[(round + i) % VIEWS.length]!
        const { rate, cpu } = await one(views)
        taken.get(views)!.rate.push(rate)
        taken.get(views)!.cpu.push(cpu)
      }
    }
    return VIEWS.flatMap((views) => {
      const name = `broadcast, ${views} live ${views === 1 ? 'view' : 'views'}`
      return [rowOf(name, 'pushes/s', taken, views, 'rate'), rowOf(`${name}, CPU`, 'us/push', taken, views, 'cpu')]
    })
  } finally {
    await server.stop()
    await receiver.stop()
    data.remove()
  }
}

function rowOf(
  name: string,
  unit: string,
  taken: ReadonlyMap<number, Taken>,
  views: number,
  what: keyof Taken,
): Result {
  const [values, none] = [taken.get(views)![what], taken.get(0)![what]]
  const row = { name, value: medianOf(values), unit, spread: spreadOf(values) }
  if (views === 0) return row
  const ratios = values.map((value, round) => value / none[round]!)
  const ratio = { value: medianOf(ratios), ...spreadOf(ratios) }
  return { ...row, against: { name: 'nobody watches', value: medianOf(none) }, ratio }
}

/** Personal tokens of so many people who may see everything. */
async function tokensOf({ dir, environment }: DataDirectory, people: number): Promise<string[]> {
  const { config } = await loadConfig({ environment, flags: { dataDir: dir } })
  const program = openProgram({ config })
  const tokens: string[] = []
  for (let i = 0; i < people; i++) tokens.push((await addPerson(program)).token)
  await program.close()
  return tokens
}

/** Follows a notification until it is over; resolves with how often it was told something. */
function view(url: string, token: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const asked = request(url, { headers: { authorization: `Bearer ${token}` }, agent: false }, (answer) => {
      if (answer.statusCode !== 200) reject(new Error(`a live view got ${answer.statusCode}`))
      let events = 0
      answer.setEncoding('utf8').on('data', (text: string) => (events += text.split('event: progress').length - 1))
      answer.on('end', () => resolve(events)).on('error', reject)
    })
    asked.on('error', reject).end()
  })
}
