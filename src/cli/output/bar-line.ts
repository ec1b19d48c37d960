import type { Writable } from 'node:stream'

/** A progress bar that is on the screen. */
export interface ShownBar {
  pause(): void
}

/** The bar on each stream. All other output there hides it first, so that it gets lines of its own. */
const bars = new WeakMap<Writable, ShownBar>()

export function showBar(stream: Writable, bar: ShownBar): void {
  bars.set(stream, bar)
}

export function hideBar(stream: Writable, bar: ShownBar): void {
  if (bars.get(stream) === bar) bars.delete(stream)
}

/** Takes the bar off the screen; the next update of its progress shows it again. */
export function pauseBar(stream: Writable): void {
  bars.get(stream)?.pause()
}
