import { setTimeout as sleep } from 'node:timers/promises'
import {
  type Appliance,
  acceptInThreeZones,
  androidToken,
  openAppliance,
  receptions,
  tokensOf,
} from '../test/support/appliance.ts'
import type { Result } from './support/result.ts'

export interface KillsOptions {
  rounds: number
  /** `sqlite` or `postgres`. */
  database: string
}

const ANDROIDS = 3000
const LINES = 60_000
const KNOWN_EVERY = LINES / ANDROIDS
const CHUNK = 50
const MAX_STOPS = 4
const MAX_RUN_MS = 2500
/** A send whose response was lost in a kill is repeated about 30 s later. On PostgreSQL the lease of the dead worker must expire first. */
const PATIENCE_MS = 240_000
const SIDE_BY_SIDE = 2

interface Round {
  kills: number
  terms: number
  lost: number
  twice: number
  /** Failures of the round. */
  wrong: string[]
}

/**
 * Stops servers with SIGKILL or SIGTERM at random moments while they apply a file of subscribers and send two notifications: a broadcast,
 * and one by local time that is due in three zones. Every recipient must be reached. Only recipients in flight at a SIGKILL may get a
 * notification twice. Every line of the file must be applied exactly once. Throws an error that lists the failures.
 */
export async function benchKills({ rounds, database }: KillsOptions): Promise<Result[]> {
  if (database !== 'sqlite' && database !== 'postgres') throw new Error(`there is no database ${database}`)
  const done: Round[] = []
  let left = rounds
  const began = performance.now()
  await Promise.all(
    Array.from({ length: Math.min(SIDE_BY_SIDE, rounds) }, async () => {
      while (left-- > 0) done.push(await playRound(database))
    }),
  )
  const wrong = done.flatMap((round) => round.wrong)
  if (wrong.length > 0) throw new Error(wrong.join('\n'))
  const sum = (key: 'kills' | 'terms' | 'lost' | 'twice') => done.reduce((all, round) => all + round[key], 0)
  const kills = sum('kills')
  const note = `${kills} SIGKILL, ${sum('terms')} SIGTERM in ${rounds} rounds, ${((performance.now() - began) / 1000).toFixed(0)} s`
  return [
    { name: `kills ${database}, missing`, value: sum('lost'), unit: 'recipients', note },
    {
      name: `kills ${database}, twice`,
      value: sum('twice'),
      unit: 'recipients',
      against: { name: 'allowed', value: Math.max(1, kills * 2 * 2 * CHUNK) },
      note: `of ${rounds * 2 * ANDROIDS}`,
    },
  ]
}

async function playRound(kind: 'sqlite' | 'postgres'): Promise<Round> {
  const round: Round = { kills: 0, terms: 0, lost: 0, twice: 0, wrong: [] }
  const one = await openAppliance({
    androids: ANDROIDS,
    kind,
    environment: {
      APPSVC_DELIVERY_CHUNK: String(CHUNK),
      APPSVC_WORKERS_DELIVER: '1',
      APPSVC_DELIVERY_PAGE_SIZE: '300',
    },
  })
  try {
    const local = await acceptInThreeZones(one)
    await one.start()
    await one.call('POST', '/messages/channels', { uuid: 'news' })
    const file = new Blob([csv()], { type: 'text/csv' })
    const { body } = await one.upload('/messages/v2/channels/news/subscribers-file', file, 'users.csv')
    const importId = (body as { import: { id: string } }).import.id
    const broadcast = await one.broadcast()
    for (let stops = Math.ceil(Math.random() * MAX_STOPS); stops > 0; stops--) {
      await sleep(Math.random() * MAX_RUN_MS)
      const signal = Math.random() < 0.7 ? 'SIGKILL' : 'SIGTERM'
      const { code } = await one.stop(signal)
      if (signal === 'SIGKILL') round.kills++
      else {
        round.terms++
        if (code !== 0) round.wrong.push(`after SIGTERM it exited with ${code}: ${one.log()}`)
      }
      await one.start()
    }
    for (const id of [local, broadcast]) {
      const { counts } = await one.finished(id)
      if (counts.accepted !== ANDROIDS || counts.audience !== ANDROIDS) round.wrong.push(JSON.stringify(counts))
      const { lost, extra } = receptions(one.sandbox, tokensOf(ANDROIDS), id)
      round.lost += lost
      round.twice += extra
    }
    if (round.lost > 0) round.wrong.push(`${round.lost} recipients got nothing`)
    // There is one thread, and each of the two notifications has at most two chunks in flight.
    if (round.twice > round.kills * 2 * 2 * CHUNK)
      round.wrong.push(`${round.twice} recipients got it twice after ${round.kills} kills`)
    round.wrong.push(...(await judgeImport(one, importId)))
    await one.stop()
  } finally {
    await one.close()
  }
  return round
}

const isKnown = (line: number) => line % KNOWN_EVERY === 0

function csv(): string {
  // The anonymous user of an install has the install's id.
  const line = (i: number) =>
    isKnown(i) ? `install-2-${androidToken(i / KNOWN_EVERY)}`.slice(0, 'install-2-'.length + 80) : `ghost-${i}`
  return Array.from({ length: LINES }, (_, i) => `${line(i)}\n`).join('')
}

async function judgeImport(one: Appliance, id: string): Promise<string[]> {
  const deadline = performance.now() + PATIENCE_MS
  for (;;) {
    const { body } = await one.call('GET', `/messages/v2/channels/news/imports/${id}`)
    const { state, applied, unknown, unknownUsers } = (
      body as {
        import: { state: string; applied: number; unknown: number; unknownUsers: { line: number; userId: string }[] }
      }
    ).import
    if (state !== 'done' && state !== 'failed' && performance.now() < deadline) {
      await sleep(100)
      continue
    }
    const { users } = await one.inside((program) => program.channels.counts(one.first.id, 1))
    const ghosts = Array.from({ length: LINES }, (_, i) => i)
      .filter((i) => !isKnown(i))
      .slice(0, unknownUsers.length)
    const isExact =
      state === 'done' &&
      applied === ANDROIDS &&
      unknown === LINES - ANDROIDS &&
      users === ANDROIDS &&
      unknownUsers.length === 1000 &&
      ghosts.every((line, i) => unknownUsers[i]!.line === line + 1 && unknownUsers[i]!.userId === `ghost-${line}`)
    return isExact ? [] : [`the file: ${JSON.stringify({ state, applied, unknown, users })}`]
  }
}
