import type { Sql } from '../src/platform/db/connect.ts'
import { watchBroadcast } from './broadcast.ts'
import { openRig, type Rig } from './small/rig.ts'
import { startFcmReceiver } from './support/fcm-receiver.ts'
import { percentile, type Result } from './support/result.ts'

export interface PersonalOptions {
  /** Number of installs that get each broadcast. */
  installs: number
  database: string
  executable?: string | undefined
}

/** Broadcasts of each kind. The first round warms up and does not count. */
const ROUNDS = 6

/** Bodies of broadcasts without their target. The others are compared with the plain one. */
const KINDS = {
  plain: { content: { title: 'Fresh bread for everybody', message: 'Out of the oven until six.' } },
  languages: {
    content: {
      title: 'Fresh bread for everybody',
      message: 'Out of the oven until six.',
      languages: { de: { title: 'Frisches Brot', message: 'Bis sechs.' }, fr: { title: 'Du pain', message: 'À six.' } },
    },
  },
  'eight texts': {
    personalize: {},
    content: { title: 'Fresh bread for {{ user.attributes.plan }}', message: 'Out of the oven until six.' },
  },
  'every text differs': {
    personalize: {},
    content: {
      title: 'Fresh bread for {{ user.attributes.firstName }}',
      message: "{% if user.attributes.plan == 'plan-1' %}Free{% else %}2 €{% endif %} until six.",
    },
  },
} as const
type Kind = keyof typeof KINDS

/**
 * Measures personalised broadcasts against the plain one of the same round and server, and how much memory the server took by the
 * end of each kind's rounds.
 */
export async function benchPersonal({ installs, database, executable }: PersonalOptions): Promise<Result[]> {
  const receiver = await startFcmReceiver()
  try {
    const rig = await openRig({ database, executable, receiver, installs: [installs], fill: nameUsers })
    try {
      return await measureKinds(rig, installs)
    } finally {
      await rig.close()
    }
  } finally {
    await receiver.stop()
  }
}

/** Gives each user a name of their own, and one of eight plans; a third of the phones speaks German, a third French. */
async function nameUsers(trx: Sql, appId: number): Promise<void> {
  const attributes = `'{"firstName":"Name ' || id || '","plan":"plan-' || (id % 8) || '"}'`
  await trx.raw(`UPDATE users SET attributes = ${attributes} WHERE app_id = ?`, [appId])
  await trx.raw(
    `UPDATE installs SET locale = CASE id % 3 WHEN 0 THEN 'de_DE' WHEN 1 THEN 'fr_FR' ELSE 'en_US' END WHERE app_id = ?`,
    [appId],
  )
}

async function measureKinds(rig: Rig, installs: number): Promise<Result[]> {
  const kinds = Object.keys(KINDS) as Kind[]
  const rates = new Map<Kind, number[]>(kinds.map((kind) => [kind, []]))
  const cpus = new Map<Kind, number[]>(kinds.map((kind) => [kind, []]))
  const peaks = new Map<Kind, number>()
  for (let round = 0; round < ROUNDS; round++) {
    for (const kind of kinds) {
      const cpu = rig.server.cpuMs()
      const { finished } = await watchBroadcast(rig.address, rig.apps[0]!.credentials, KINDS[kind])
      const seconds = await finished
      if (round > 0) {
        rates.get(kind)!.push(installs / seconds)
        cpus.get(kind)!.push(((rig.server.cpuMs() - cpu) * 1000) / installs)
      }
      if (round === 0) peaks.set(kind, rig.server.peakRss())
    }
  }
  const middle = (all: number[]) => percentile(all, 0.5)
  const against = (of: ReadonlyMap<Kind, number[]>) => ({ name: 'plain', value: middle(of.get('plain')!) })
  return kinds.flatMap((kind): Result[] => [
    { name: kind, value: middle(rates.get(kind)!), unit: 'pushes/s', against: against(rates) },
    { name: `${kind}, CPU`, value: middle(cpus.get(kind)!), unit: 'us/push', against: against(cpus) },
    {
      name: `${kind}, peak memory`,
      value: peaks.get(kind)!,
      unit: 'MB',
      against: { name: 'plain', value: peaks.get('plain')! },
    },
  ])
}
