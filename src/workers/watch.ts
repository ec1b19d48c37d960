import { readLastBackup } from '../domain/backups/last-backup.ts'
import { POSTGRES_REMEDY } from '../domain/backups/places.ts'
import { whyDatabaseIsSilent } from '../platform/db/answering.ts'
import { messageOf } from '../platform/errors.ts'
import { lowRemedy } from '../platform/files/disk-space.ts'
import { heldSentence } from '../platform/instance/custody.ts'
import type { FaultKind, Finding } from '../platform/instance/faults.ts'
import { isoOffset } from '../platform/time/clock.ts'
import { durationMs } from '../platform/time/duration.ts'
import { doubtSentence } from '../platform/timekeeping/sentence.ts'
import type { Program } from '../program.ts'

/** Interval of the checks: faults must be reported within a minute, a hold and its release within seconds. */
const LOOK_MS = 2000
/** Interval of asking the database for its time. */
const HEAR_MS = 30_000
/** Interval of checking lanes: they change more slowly, and the check queries the database. */
const CHECK_LANES_MS = 10_000
/** A loop that has not reported for this long is stuck. Less than a minute, so that it is reported within one. */
export const STALE_TICK_MS = 45_000
/** A gateway may miss one deadline (15 s). One that has not answered for this long is reported. */
const SILENT_MS = 20_000
/** Interval of confirming stored faults (see platform/instance/faults.repository.ts). */
const CONFIRM_MS = 60_000

export interface Watch {
  /** Stops the checks and deletes the stored faults of this process. */
  close(): Promise<void>
}

export interface WatchOptions {
  /** True when no other process can be serving this database. */
  alone: boolean
  /** The node's id (platform/instance/nodes.ts), under which its faults are stored. */
  node: string
}

/**
 * Checks every two seconds for everything that can be wrong with the process: loops, disk, clock, database, hold,
 * gateways. Reports faults to `kernel.faults` and stores them in the database for `appsvc status`. Resolves after the
 * first check.
 */
export async function startWatch(program: Program, { alone, node }: WatchOptions): Promise<Watch> {
  const { clock, faults, log } = program.kernel
  const stop = new AbortController()
  const lanes = createLaneCheck(program)
  const backups = createBackupCheck(program)
  const wrongClock = createClockCheck(program)
  const deleting = deleteOldFaults(program, alone).catch((error: unknown) =>
    log.debug({ error: messageOf(error) }, 'old faults cannot be deleted'),
  )
  let stored = ''
  let storedAt = Number.NEGATIVE_INFINITY

  async function look(): Promise<void> {
    const unseen = new Set<FaultKind>()
    const silence = await silentDatabase(program)
    const ask = async (kind: FaultKind, find: () => Promise<Finding[]>): Promise<Finding[]> => {
      try {
        if (silence.length === 0) return await find()
      } catch {
        // The database has stopped answering, which the next check will find.
      }
      unseen.add(kind)
      return []
    }
    const found = [
      ...(program.kernel.db.soundness.damaged ? [] : silence),
      ...stuckLoops(program),
      ...lowDisk(program),
      ...(await wrongClock(silence.length === 0)),
      ...(await ask('held', () => held(program))),
      ...(await ask('gateway', lanes)),
      ...damage(program),
      ...backups(),
    ]
    faults.settle(found, unseen)
    if (silence.length === 0) await store()
  }

  /** Stores changed faults at once and confirms unchanged ones once a minute. A failed attempt is repeated at the next check. */
  async function store(): Promise<void> {
    const list = faults.list()
    const text = JSON.stringify(list)
    const isDue = list.length > 0 && clock.monotonic() - storedAt >= CONFIRM_MS
    if ((text === stored || (stored === '' && list.length === 0)) && !isDue) return
    try {
      await deleting
      await program.inTransaction((tx) => tx.storedFaults.store(node, list))
      stored = text
      storedAt = clock.monotonic()
    } catch (error) {
      log.debug({ error: messageOf(error) }, 'faults cannot be stored')
    }
  }

  async function watch(): Promise<void> {
    while (!stop.signal.aborted) {
      await clock.sleep(LOOK_MS, stop.signal)
      if (!stop.signal.aborted) await look()
    }
  }

  await look()
  const watching = watch()
  return {
    async close() {
      stop.abort()
      await Promise.all([watching, deleting])
      program.kernel.timekeeper?.save()
      if (stored !== '') await program.inTransaction((tx) => tx.storedFaults.store(node, [])).catch(() => {})
    },
  }
}

async function silentDatabase({ kernel: { db, clock } }: Program): Promise<Finding[]> {
  const sentence = await whyDatabaseIsSilent(db, clock)
  return sentence === undefined ? [] : [{ kind: 'database', about: '', sentence }]
}

function stuckLoops({ kernel: { clock, ticks, breakdowns } }: Program): Finding[] {
  const now = clock.monotonic()
  const stuck = [...ticks].flatMap(([loop, at]) => (now - at > STALE_TICK_MS ? [loop] : []))
  if (stuck.length === 0) return []
  const reasons = new Set(stuck.flatMap((loop) => breakdowns.get(loop) ?? []))
  const why = reasons.size === 0 ? '' : `: ${[...reasons].join('; ')}`
  const who = stuck.length === 1 ? `the worker ${stuck[0]} is` : `the workers ${stuck.join(', ')} are`
  const remedy = 'check the limits of the process (open files, memory) and the log, then restart appsvc'
  return [{ kind: 'worker', about: '', sentence: `${who} stuck${why}; ${remedy}` }]
}

/** Deletes faults stored by processes that were killed. Reads first, because there are hardly ever any. */
async function deleteOldFaults(program: Program, alone: boolean): Promise<void> {
  if (await program.storedFaults.isAny()) await program.inTransaction((tx) => tx.storedFaults.forget(alone))
}

function lowDisk({ kernel: { disk } }: Program): Finding[] {
  const space = disk.look()
  if (!space || !disk.isLow()) return []
  return [{ kind: 'disk', about: '', sentence: lowRemedy(space) }]
}

/** Looks at the clocks, also at that of PostgreSQL: at every check while the clock is in doubt, otherwise twice a minute. */
function createClockCheck({ nodes, kernel }: Program): (answers: boolean) => Promise<Finding[]> {
  const { clock, db, timekeeper } = kernel
  let heardAt = Number.NEGATIVE_INFINITY
  return async (answers) => {
    const isDue = clock.doubt() !== undefined || clock.monotonic() - heardAt >= HEAR_MS
    const ask = db.kind === 'postgres' && answers && isDue ? () => nodes.now() : undefined
    try {
      await timekeeper?.look(ask)
      if (ask) heardAt = clock.monotonic()
    } catch {
      // The database has stopped answering, which the next check will find.
      await timekeeper?.look()
    }
    const doubt = clock.doubt()
    if (doubt === undefined) return []
    return [{ kind: 'clock', about: '', sentence: doubtSentence(doubt, timekeeper?.standsFor()) }]
  }
}

function damage({ kernel: { db } }: Program): Finding[] {
  const { sentence } = db.soundness
  return sentence === undefined ? [] : [{ kind: 'corrupt', about: '', sentence }]
}

/** Finds out whether the backups that the settings want are made: the result of the last one stands in a small file. */
function createBackupCheck({ kernel: { clock, config, db } }: Program): () => Finding[] {
  const to = config['backup.to']
  const everyMs = durationMs(config['backup.every'])!
  return () => {
    if (to === '') return []
    const sentence = db.kind === 'postgres' ? `backup.to is set: ${POSTGRES_REMEDY}` : lateBackup()
    return sentence === undefined ? [] : [{ kind: 'backup', about: '', sentence }]
  }

  function lateBackup(): string | undefined {
    const { good, failure } = readLastBackup(config.dataDir)
    const age = good === undefined ? 'there is none yet' : `the last one is of ${isoOffset(good.at)}`
    if (failure) return `the backup to ${to} fails, and ${age}: ${failure.error}`
    // A backup may take its time; a second one that is missing is a fault.
    if (good === undefined || clock.now() - good.at <= 2 * everyMs) return undefined
    return `no backup was made to ${to} when it was due, and ${age}: see the log, and try appsvc backup ${to}`
  }
}

async function held({ instance }: Program): Promise<Finding[]> {
  const hold = await instance.hold()
  return hold ? [{ kind: 'held', about: '', sentence: heldSentence(hold.reason) }] : []
}

/**
 * Finds lanes that do not send: those reported by delivery threads and, every few checks, those held in the database.
 */
function createLaneCheck(program: Program): () => Promise<Finding[]> {
  const { clock, silences } = program.kernel
  let stored: Finding[] = []
  let lookedAt = Number.NEGATIVE_INFINITY
  return async () => {
    if (clock.monotonic() - lookedAt >= CHECK_LANES_MS) {
      stored = await troubledLanes(program)
      lookedAt = clock.monotonic()
    }
    const found = new Map(stored.map((finding) => [finding.about, finding]))
    for (const { appId, platform, since, reason } of [...silences.values()].flat()) {
      const about = `app ${appId} ${platform}`
      if (found.has(about) || clock.now() - since < SILENT_MS) continue
      found.set(about, finding(about, `the ${platform} gateway of app ${appId} does not answer (${reason})`, appId))
    }
    return [...found.values()]
  }
}

async function troubledLanes({ gateways }: Program): Promise<Finding[]> {
  const lanes = await gateways.lanes.list()
  const troubled = lanes.filter(
    ({ holds, holdKind }) => holds > 0 && holdKind !== null && holdKind !== 'throttled_gateway',
  )
  const found: Finding[] = []
  for (const { appId, platform, holdReason } of troubled) {
    // A lane remains when its gateway is deleted.
    if ((await gateways.find(appId, platform)) === undefined) continue
    const what = `sending through the ${platform} gateway of app ${appId} is paused: ${holdReason ?? 'it does not accept our requests'}`
    found.push(finding(`app ${appId} ${platform}`, what, appId))
  }
  return found
}

function finding(about: string, what: string, appId: number): Finding {
  return { kind: 'gateway', about, sentence: `${what}; run appsvc gateways check --app ${appId} for details` }
}
