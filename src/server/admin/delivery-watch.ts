import type { Progress } from '../../domain/notifications/report/deliveries.ts'
import { STATUS } from '../../domain/notifications/types.ts'
import { presentProgress, type Speed } from '../../present/admin/deliveries.ts'
import type { Program } from '../../program.ts'
import { onePerProgram } from '../limits/per-program.ts'
import type { LiveEvent } from '../routing/route.ts'

const TICK_MS = 1000
/** The largest share of the time that looking takes: a notification that is slow to count is looked at less often. */
const LOOKING_SHARE = 1 / 100
/** Ticks over which the speed is taken: gateways answer in bursts. */
const TICKS = 10

type Shown = ReturnType<typeof presentProgress>

/** One reader of a notification, for all who watch it here. */
interface Watch {
  watchers: number
  latest: Shown | undefined
  next: PromiseWithResolvers<Shown>
}

const watchesOf = onePerProgram(() => new Map<string, Watch>())

/**
 * The progress of a notification: at once, then every second until it is over. However many watch it, it is read once a second,
 * and less often when that takes longer than 10 ms.
 */
export async function* watchDelivery(
  program: Program,
  appId: number,
  id: number,
  signal: AbortSignal,
): AsyncGenerator<LiveEvent> {
  const watches = watchesOf(program)
  const key = `${appId} ${id}`
  let watch = watches.get(key)
  if (!watch) {
    watch = { watchers: 0, latest: undefined, next: pending() }
    watches.set(key, watch)
    void readAlong(program, { appId, id, watch, onEnd: () => watches.delete(key) })
  }
  watch.watchers++
  const left = Promise.withResolvers<undefined>()
  const leave = () => left.resolve(undefined)
  signal.addEventListener('abort', leave, { once: true })
  try {
    let shown = watch.latest
    for (;;) {
      if (shown) yield { event: 'progress', data: shown }
      if (signal.aborted || (shown && isOver(shown))) return
      shown = await Promise.race([watch.next.promise, left.promise])
      if (!shown) return
    }
  } finally {
    watch.watchers--
    signal.removeEventListener('abort', leave)
  }
}

const isOver = ({ status }: Pick<Progress, 'status'>) => status >= STATUS.sent

/** A promise whose failure is no surprise when nobody waits for it. */
function pending(): PromiseWithResolvers<Shown> {
  const made = Promise.withResolvers<Shown>()
  made.promise.catch(() => {})
  return made
}

async function readAlong(
  program: Program,
  { appId, id, watch, onEnd }: { appId: number; id: number; watch: Watch; onEnd(): void },
): Promise<void> {
  const { clock } = program.kernel
  const seen: { at: number; settled: number }[] = []
  try {
    do {
      const began = clock.monotonic()
      const progress = await program.deliveries.progress(appId, id)
      const at = clock.monotonic()
      seen.push({ at, settled: progress.counts.audience - progress.counts.pending })
      if (seen.length > TICKS + 1) seen.shift()
      const shown = presentProgress(progress, speedOf(seen, progress), clock.now())
      watch.latest = shown
      const told = watch.next
      watch.next = pending()
      told.resolve(shown)
      if (isOver(progress)) break
      await clock.sleep(pauseAfter(at - began))
    } while (watch.watchers > 0)
  } catch (error) {
    watch.next.reject(error)
  } finally {
    onEnd()
  }
}

/** The pause (ms) after a look that took `tookMs`. Pure. */
export function pauseAfter(tookMs: number): number {
  return Math.max(TICK_MS, tookMs / LOOKING_SHARE)
}

/** Recipients settled in a second, over what was seen, and how long the rest takes at that speed. Pure. */
export function speedOf(
  seen: readonly { at: number; settled: number }[],
  { expected, counts }: Pick<Progress, 'expected' | 'counts'>,
): Speed {
  const [first, last] = [seen[0], seen.at(-1)]
  const seconds = first && last ? (last.at - first.at) / 1000 : 0
  if (!first || !last || seconds <= 0) return { perSecond: null, secondsLeft: null }
  const perSecond = Math.round(((last.settled - first.settled) / seconds) * 10) / 10
  const settled = counts.audience - counts.pending
  const secondsLeft = expected === null || perSecond <= 0 ? null : Math.ceil((expected - settled) / perSecond)
  return { perSecond, secondsLeft }
}
