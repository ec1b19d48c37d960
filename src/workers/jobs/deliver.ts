import { createSenders } from '../../domain/gateways/senders.ts'
import { gatewaySettings } from '../../domain/gateways/settings.ts'
import { countInto } from '../../domain/notifications/deliver/delivery-parts.ts'
import { ServedLanes } from '../../domain/notifications/deliver/served-lanes.ts'
import { failpoint } from '../../platform/process/failpoints.ts'
import { complain, type JobContext } from './job.ts'
import { createKeepWarm, type Line } from './keep-warm.ts'

const LOOK_MS = 500
const EXTEND_MS = 10_000
/** Interval of reporting that the loop is well while this thread does not send. */
const OFF_MS = 1000
/** Pause of the loop when it cannot read the database. */
const FAILED_LOOK_MS = 500
/** Pause between two looks for gateways to connect to ahead of the first push, and the number of gateways at the start. */
const WARM_EVERY_MS = 5000
const WARM_AT_START = 8

/** Delivers pages whenever this thread sends, until the signal aborts. */
export async function deliver(context: JobContext): Promise<void> {
  const { signal, shift, tick, lettingGo } = context
  if (!shift) return serve(context)
  while (!signal.aborted) {
    if (shift.signal) await serve({ ...context, signal: AbortSignal.any([signal, shift.signal]) })
    lettingGo?.([])
    while (!shift.signal && !signal.aborted) {
      tick()
      await shift.wait(OFF_MS, signal)
    }
  }
}

/**
 * Delivers the pages of all lanes that have some due, side by side, until the signal aborts; then finishes what is in
 * flight and returns the other pages.
 */
async function serve(context: JobContext): Promise<void> {
  const { program, owner, signal, wake, tick, busy, lettingGo } = context
  const { clock, log, config, silences } = program.kernel
  const settings = { ...gatewaySettings(config), warn: (text: string) => log.warn({}, text) }
  const senders = createSenders(program.gateways, settings, () => clock.now())
  /** A sender is opened once, also when it is warmed while a page comes for it. */
  const findSender = joinCalls(({ appId, platform }: Line) => senders.find(appId, platform))
  const keepWarm = keepWarmOf(context, findSender)
  let onServed = wake.ring
  const lanes = servedLanes(context, { findSender, serving: keepWarm.use, served: () => onServed() })
  const extending = setInterval(() => {
    lanes.extendLeases().catch((error: unknown) => complain(log, error, {}, 'leases could not be prolonged'))
  }, EXTEND_MS)
  const warm = oneAtATime(async () => {
    try {
      if (!signal.aborted && !(await lanes.isStopped(program))) await keepWarm.warm()
    } catch (error) {
      // The database is closed when the program stops.
      if (!signal.aborted) complain(log, error, {}, 'gateways could not be connected ahead of the first push')
    }
  })
  const warming = setInterval(warm, WARM_EVERY_MS)

  warm()
  try {
    while (!signal.aborted) {
      silences.set(owner, lanes.silent())
      tick()
      failpoint('deliver.looked')
      try {
        const begun = await lanes.begin()
        if (lanes.served.length > 0) busy?.()
        if (begun === 0) await wake.wait(LOOK_MS, signal)
      } catch (error) {
        // Pages in progress continue: ending the thread here would leave their recipients in doubt.
        complain(log, error, {}, 'pages cannot be claimed; trying again')
        await clock.sleep(FAILED_LOOK_MS, signal)
      }
    }
    const left = () => lettingGo?.(lanes.served)
    left()
    onServed = left
    await lanes.end()
  } finally {
    clearInterval(extending)
    clearInterval(warming)
    silences.delete(owner)
    await senders.close()
  }
}

function servedLanes(
  { program, owner, signal, shift }: JobContext,
  using: Pick<ConstructorParameters<typeof ServedLanes>[0], 'findSender' | 'serving' | 'served'>,
): ServedLanes {
  const { clock, log, config, outcomes, db } = program.kernel
  return new ServedLanes({
    read: program,
    inTransaction: (work) => program.inTransaction(work),
    clock,
    log,
    config,
    chunk: config['delivery.chunk'],
    count: countInto(outcomes),
    random: Math.random,
    owner,
    signal,
    isDamaged: () => db.soundness.damaged,
    isForOthers: (laneId) => shift?.except.has(laneId) ?? false,
    complain: (...about) => complain(log, ...about),
    ...using,
  })
}

function keepWarmOf({ program }: JobContext, find: Parameters<typeof createKeepWarm>[0]['find']) {
  const linesOf = async (appId: number): Promise<Line[]> =>
    (await program.gateways.platforms(appId)).map((platform) => ({ appId, platform }))
  return createKeepWarm({
    newest: () => program.gateways.newest(WARM_AT_START),
    latest: async () => (await Promise.all((await program.sent.latestApps(WARM_AT_START)).map(linesOf))).flat(),
    find,
    monotonic: () => program.kernel.clock.monotonic(),
  })
}

/** Runs `work`, which never rejects, unless it is still running. */
function oneAtATime(work: () => Promise<void>): () => void {
  let running: Promise<void> | undefined
  return () => {
    running ??= work().finally(() => (running = undefined))
  }
}

/** Calls of `find` for the same gateway that overlap share one result. */
function joinCalls<T>(find: (line: Line) => Promise<T>): (line: Line) => Promise<T> {
  const running = new Map<string, Promise<T>>()
  return (line) => {
    const key = `${line.appId} ${line.platform}`
    const known = running.get(key)
    if (known) return known
    const found = find(line).finally(() => running.delete(key))
    running.set(key, found)
    return found
  }
}
