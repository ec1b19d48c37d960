import { type MessagePort, parentPort } from 'node:worker_threads'
import { loadConfig } from '../config.ts'
import type { Target } from '../domain/audience/types.ts'
import { loadPepper, openProgram, openReplica } from '../open.ts'
import { createLog } from '../platform/log/log.ts'
import type { Pace } from '../platform/long-reads/pace.ts'
import { type ReadCalls, serveReads } from '../platform/long-reads/serve.ts'
import { createTurns } from '../platform/long-reads/turns.ts'
import type { Program } from '../program.ts'

/** The data that readers.ts passes to the thread that does long reads. */
export interface ReaderData {
  kind: 'reader'
  settings: Record<string, string>
  /** The check value of the master key of the process. */
  keyCheck: string
  turnCell: SharedArrayBuffer
  soundnessCell: SharedArrayBuffer
  clockCell: SharedArrayBuffer
}

/** A new port on which reads are asked; or the end of the thread, when the reads under way have ended. */
export type ReaderOrder = { port: MessagePort } | 'end'

export function isReaderData(data: unknown): data is ReaderData {
  return typeof data === 'object' && data !== null && 'kind' in data && data.kind === 'reader'
}

/** Statements at a time. SQLite runs in this thread, PostgreSQL elsewhere. */
const WIDTH = { sqlite: 1, postgres: 3 } as const

/** The reads of this thread. Their arguments and results are cloned. */
export function readsOf(program: Program): ReadCalls {
  return {
    'records.find': (pace: Pace, ...[appId, alias, query]: Tail<typeof program.records.find>) =>
      program.records.find(appId, alias, query, pace),
    'segments.preview': (pace: Pace, ...[appId, key]: Tail<typeof program.segments.preview>) =>
      program.segments.preview(appId, key, pace),
    'segments.previewOf': (pace: Pace, ...[appId, filter]: Tail<typeof program.segments.previewOf>) =>
      program.segments.previewOf(appId, filter, pace),
    'segments.estimateOf': (pace: Pace, ...[appId, filter]: Tail<typeof program.segments.estimateOf>) =>
      program.segments.estimateOf(appId, filter, pace),
    'segments.measure': (pace: Pace, ...[appId, segment, isWhole]: Tail<typeof program.segments.measure>) =>
      program.segments.measure(appId, segment, isWhole, pace),
    'segmentSuggestions.of': (pace: Pace, ...[appId]: Tail<typeof program.segmentSuggestions.of>) =>
      program.segmentSuggestions.of(appId, pace),
    'subscriptions.countAll': (pace: Pace, ...[appId, ids]: Tail<typeof program.subscriptions.countAll>) =>
      program.subscriptions.countAll(appId, ids, pace),
    'audience.count': (pace: Pace, appId: number, target: Target) => program.audience.count(appId, target, pace),
    'notifications.measure': (pace: Pace, ...[appId, draft, target, size]: Tail<typeof program.drafts.measure>) =>
      program.drafts.measure(appId, draft, target, size, pace),
    'geofences.density': (pace: Pace, ...[appId, box]: Tail<typeof program.density.density>) =>
      program.density.density(appId, box, pace),
    'tables.consequences': (pace: Pace, ...[appId, ref, changes]: Tail<typeof program.tableConsequences.of>) =>
      program.tableConsequences.of(appId, ref, changes, pace),
    'notifications.estimate': (pace: Pace, ...[appId, input]: Tail<typeof program.drafts.estimate>) =>
      program.drafts.estimate(appId, input, pace),
    'inApp.estimate': (pace: Pace, ...[appId, input]: Tail<typeof program.inApp.estimate>) =>
      program.inApp.estimate(appId, input, pace),
    'users.find': (pace: Pace, ...[appId, search]: Tail<typeof program.userSearch.find>) =>
      program.userSearch.find(appId, search, pace),
    'profiles.find': (pace: Pace, ...[appId, search]: Tail<typeof program.profiles.find>) =>
      program.profiles.find(appId, search, pace),
    'profiles.suggest': async (pace: Pace, ...asked: Parameters<typeof program.profiles.suggest>) => {
      await pace.turn()
      return program.profiles.suggest(...asked)
    },
    'timelines.read': (pace: Pace, ...[appId, id, query]: Tail<typeof program.timelines.read>) =>
      program.timelines.read(appId, id, query, pace),
    'reasons.explain': async (pace: Pace, ...asked: Parameters<typeof program.reasons.explain>) => {
      await pace.turn()
      return program.reasons.explain(...asked)
    },
    'crashes.list': async (pace: Pace, ...asked: Parameters<typeof program.crashes.list>) => {
      await pace.turn()
      return program.crashes.list(...asked)
    },
    'crashes.groups': async (pace: Pace, ...asked: Parameters<typeof program.crashes.groups>) => {
      await pace.turn()
      return program.crashes.groups(...asked)
    },
  }
}

/** The arguments of a read without its pace, which comes last. */
type Tail<F extends (...args: never[]) => unknown> =
  Required<Parameters<F>> extends [...infer Rest, unknown] ? Rest : never

/** Runs the thread until it is told to end, or no port is left. */
export async function runReader({ settings, keyCheck, ...cells }: Omit<ReaderData, 'kind'>): Promise<void> {
  const { config } = await loadConfig({ environment: {}, flags: settings })
  const log = createLog(config['log.level'], config['log.format']).child({ thread: 'reader' })
  const seconds = config['limits.readSeconds']
  const limits = { pool: WIDTH.postgres, statementMs: seconds * 1000 }
  const program = openProgram({ config, log, keyCheck, ...cells, ...limits, longReads: true })
  await loadPepper(program)
  const standby = openReplica(program, limits)
  const { kind } = program.kernel.db
  const turns = createTurns({ clock: program.kernel.clock, width: WIDTH[kind] })
  const places = {
    calls: readsOf(program),
    ...(standby && { standby: { calls: readsOf(standby.program), replica: standby.replica } }),
  }
  const ports = new Map<MessagePort, () => Promise<void>>()
  await new Promise<void>((resolve) => {
    parentPort!.on('message', (order: ReaderOrder) => {
      if (order === 'end') return resolve()
      const { port } = order
      const end = serveReads(port, places, turns, log)
      ports.set(port, end)
      port.once('close', async () => {
        await end()
        ports.delete(port)
        if (ports.size === 0) resolve()
      })
    })
  })
  // Before the database is closed under them.
  await Promise.all([...ports.values()].map((end) => end()))
  await standby?.program.close()
  await program.close()
  log.flush()
  parentPort!.close()
}
