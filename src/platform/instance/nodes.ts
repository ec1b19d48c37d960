import { createHash } from 'node:crypto'
import type { Database, Sql } from '../db/connect.ts'
import { isPostgres } from '../db/dialect.ts'
import { AppError, isAppError, messageOf } from '../errors.ts'
import type { Log } from '../log/log.ts'
import type { Clock } from '../time/clock.ts'
import { GONE_MS, type Node, type NodeFacts, nodesRepository } from './nodes.repository.ts'

/** Interval of the signs of life on PostgreSQL. */
const BEAT_MS = 10_000
/** Between two rounds of forgetting nodes that ended. */
const FORGET_MS = 3_600_000
/** A clock that is further off than this from the one of the database is reported. Due times are compared with it. */
const CLOCK_TOLERANCE_MS = 5000

/**
 * - `alive`: it runs.
 * - `stopped`: it was asked to stop, and did.
 * - `gone`: it was killed, or cannot reach the database. Others take over what it was sending within 35 s of its end.
 */
type NodeState = 'alive' | 'stopped' | 'gone'

/** A node, what became of it, and what it does not share with the others. */
export interface JudgedNode extends Node {
  state: NodeState
  /** What others that are alive say otherwise; empty for a node that is not alive. */
  disagrees: Disagreement[]
}

/** About what nodes disagree: their version, the schema step they know, their master key, their clock. */
type Disagreement = 'version' | 'schema' | 'key' | 'clock'

export interface Judging {
  /** The clock of the database (ms). */
  now: number
  /** Whether a process serves this SQLite database; undefined on PostgreSQL, where signs of life tell. */
  served?: boolean | undefined
}

/** Says of each node whether it is alive, and about what those that are alive disagree. The first of `nodes` was seen last. */
export function judgeNodes(nodes: readonly Node[], { now, served }: Judging): JudgedNode[] {
  // Only one process serves an SQLite database, and it gives no signs of life: it is the last that started.
  const last = nodes.reduce<Node | undefined>((a, b) => (a && a.startedAt >= b.startedAt ? a : b), undefined)
  const stateOf = (node: Node): NodeState => {
    if (node.stoppedAt !== null) return 'stopped'
    const isAlive = served === undefined ? now - node.seenAt < GONE_MS : served && node === last
    return isAlive ? 'alive' : 'gone'
  }
  const alive = nodes.filter((node) => stateOf(node) === 'alive')
  const isSplit = (of: (node: Node) => string) => new Set(alive.map(of)).size > 1
  const split = {
    version: isSplit(({ version }) => version),
    schema: isSplit(({ schemaStep }) => schemaStep),
    key: isSplit(({ keyPrint }) => keyPrint),
  }
  return nodes.map((node) => {
    const state = stateOf(node)
    const disagrees: Disagreement[] = []
    if (state === 'alive') {
      for (const about of ['version', 'schema', 'key'] as const) if (split[about]) disagrees.push(about)
      if (Math.abs(node.clockAhead) > CLOCK_TOLERANCE_MS) disagrees.push('clock')
    }
    return { ...node, state, disagrees }
  })
}

/** What nodes disagree about, as sentences for people with the remedy. Empty when all is well. */
export function disagreements(nodes: readonly JudgedNode[]): string[] {
  return disagreementsAmong(nodes).map(({ what, remedy }) => `${what}: ${remedy}`)
}

/** What nodes disagree about: a sentence, and what to do. Empty when all is well. */
export function disagreementsAmong(
  nodes: readonly JudgedNode[],
): { about: Disagreement; what: string; remedy: string }[] {
  const alive = nodes.filter(({ state }) => state === 'alive')
  const about = (what: Disagreement) => alive.filter(({ disagrees }) => disagrees.includes(what))
  const list = (some: readonly JudgedNode[], of: (node: JudgedNode) => string) =>
    some
      .map((node) => `${of(node)} on ${nameOf(node)}`)
      .sort()
      .join(', ')
  const found: { about: Disagreement; what: string; remedy: string }[] = []
  const versions = about('version')
  const steps = about('schema')
  if (versions.length > 0)
    found.push({
      about: 'version',
      what: `nodes run different versions (${list(versions, ({ version }) => version)})`,
      remedy: 'finish the upgrade',
    })
  else if (steps.length > 0)
    found.push({
      about: 'schema',
      what: `nodes know different schemas (${list(steps, ({ schemaStep }) => schemaStep)})`,
      remedy: 'finish the upgrade',
    })
  const keys = about('key')
  if (keys.length > 0)
    found.push({
      about: 'key',
      what: `nodes have different master keys (${list(keys, ({ keyPrint }) => keyPrint)})`,
      remedy: 'give all the same key file and restart them',
    })
  for (const node of about('clock')) {
    const seconds = Math.round(Math.abs(node.clockAhead) / 1000)
    const where = node.clockAhead > 0 ? 'ahead of' : 'behind'
    found.push({
      about: 'clock',
      what: `the clock of ${nameOf(node)} is ${seconds} s ${where} the one of the database`,
      remedy: 'what it schedules is off by as much; set both by NTP',
    })
  }
  return found
}

/** A node as sentences name it. */
export const nameOf = ({ host, pid }: Pick<Node, 'host' | 'pid'>) => `${host} (process ${pid})`

/** A short digest by which people compare master keys. `keyCheck` does not reveal the key, and this reveals less. */
export function keyPrintOf(keyCheck: string): string {
  return createHash('sha256').update(keyCheck).digest('hex').slice(0, 12)
}

/**
 * Throws `unavailable` while nodes are alive that do not know this schema step: on PostgreSQL they would go on working on a schema
 * that is not theirs. The lock on the directory keeps them away on SQLite.
 */
export async function refuseWhileOlderRun(trx: Sql, step: string): Promise<void> {
  const repo = nodesRepository(trx)
  if (!isPostgres(trx) || !(await repo.isThere())) return
  const older = (await repo.list({ lately: true })).filter(
    ({ stoppedAt, schemaStep }) => stoppedAt === null && schemaStep < step,
  )
  if (older.length === 0) return
  const who = older.map((node) => `appsvc ${node.version} on ${nameOf(node)}`).join(', ')
  throw new AppError(
    'unavailable',
    `the schema cannot be changed by ${step} while older nodes run (${who}): stop them first; one that was killed counts as running for ${GONE_MS / 1000} s`,
  )
}

export interface MembershipParts {
  db: Database
  clock: Clock
  log: Log
  facts: NodeFacts
  /** Throws when this node must not work on the database any more. Asked with each sign of life. */
  check(): Promise<void>
  /** Called once with what `check` threw. */
  expelled(error: unknown): void
}

export interface Membership {
  /** Says that the node stops as asked. */
  close(): Promise<void>
}

/**
 * Enters this process into the table of nodes and, on PostgreSQL, gives a sign of life every ten seconds; then it also warns in
 * the log of what nodes disagree about. On SQLite there is one node, whose lock on the directory shows that it lives: nothing is
 * written between its start and its stop.
 */
export async function joinNodes({ db, clock, log, facts, check, expelled }: MembershipParts): Promise<Membership> {
  const repo = nodesRepository(db.read)
  const write = <T>(work: (repo: ReturnType<typeof nodesRepository>) => Promise<T>) =>
    db.write((trx) => work(nodesRepository(trx)))
  const stop = new AbortController()
  let ahead = 0
  let forgetAt = clock.monotonic() + FORGET_MS
  let told: string[] = []

  /** Takes the time of the database and how far our clock is from it, allowing for the time that the answer took. */
  async function compare(ask: () => Promise<number | undefined>): Promise<number | undefined> {
    const before = clock.now()
    const theirs = await ask()
    const after = clock.now()
    if (theirs !== undefined) ahead = theirs < before ? before - theirs : Math.min(0, after - theirs)
    return theirs
  }

  async function enter(): Promise<number> {
    const now = await compare(() => repo.now())
    await write(async (tx) => {
      await tx.forget()
      await tx.enter(facts, ahead)
    })
    return now!
  }

  async function beat(): Promise<void> {
    await check()
    const now = (await compare(() => write((tx) => tx.beat(facts.id, ahead)))) ?? (await enter())
    if (clock.monotonic() >= forgetAt) {
      await write((tx) => tx.forget())
      forgetAt = clock.monotonic() + FORGET_MS
    }
    const found = disagreements(judgeNodes(await repo.list({ lately: true }), { now }))
    for (const sentence of found) if (!told.includes(sentence)) log.warn({}, sentence)
    if (told.length > 0 && found.length === 0) log.info({}, 'the nodes agree again')
    told = found
  }

  async function keepBeating(): Promise<void> {
    while (!stop.signal.aborted) {
      await clock.sleep(BEAT_MS, stop.signal)
      if (stop.signal.aborted) return
      try {
        await beat()
      } catch (error) {
        if (isAppError(error) && error.code === 'config') return expelled(error)
        // The watch reports a database that does not answer (workers/watch.ts).
        log.debug({ error: messageOf(error) }, 'no sign of life can be given')
      }
    }
  }

  await enter()
  const beating = db.kind === 'postgres' ? keepBeating() : Promise.resolve()
  return {
    async close() {
      stop.abort()
      await beating
      await write((tx) => tx.leave(facts.id)).catch((error: unknown) =>
        log.debug({ error: messageOf(error) }, 'the node could not say that it stops'),
      )
    },
  }
}
