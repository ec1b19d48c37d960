import type { Io } from '../io.ts'
import { countOf } from './plural.ts'

/** How far a long job is: a bar on a terminal, a line every few seconds elsewhere; always on standard error. */
export interface Progress {
  /** `done` of `total`; total undefined while nobody knows. */
  update(done: number, total?: number): void
  /** Makes room for something else; the next update shows it again. */
  pause(): void
  stop(): void
}

const LINE_EVERY_MS = 5000
/** Shorter jobs say nothing. */
const SILENT_MS = 1000

/** `what` is the noun for one of what is counted ("line"). */
export async function startProgress(io: Io, what: string): Promise<Progress> {
  const begun = performance.now()
  const rate = (done: number) => Math.round((done / Math.max(1, performance.now() - begun)) * 1000)
  if (io.stderr.isTTY !== true) {
    let last = begun
    return {
      update(done, total) {
        const now = performance.now()
        if (now - last < LINE_EVERY_MS) return
        last = now
        io.stderr.write(
          `${total === undefined ? countOf(done, what) : `${done} of ${countOf(total, what)}`}, ${rate(done)} a second\n`,
        )
      },
      pause() {},
      stop() {},
    }
  }
  const { default: cliProgress } = await import('cli-progress')
  const bar = new cliProgress.SingleBar({
    stream: io.stderr,
    format: (_options, params, { total, rate }) => {
      const { value } = params
      if (!total) return `${countOf(value, what)}, ${rate} a second`
      const filled = Math.min(30, Math.round((value / total) * 30))
      return `${'█'.repeat(filled)}${'░'.repeat(30 - filled)} ${value} of ${countOf(total, what)}, ${rate} a second`
    },
    clearOnComplete: true,
    hideCursor: false,
  })
  let shown = false
  return {
    update(done, total = 0) {
      if (!shown && performance.now() - begun < SILENT_MS) return
      if (!shown) bar.start(total, done, { total, rate: rate(done) })
      shown = true
      bar.setTotal(total)
      bar.update(done, { total, rate: rate(done) })
    },
    pause() {
      if (shown) bar.stop()
      shown = false
    },
    stop() {
      if (shown) bar.stop()
    },
  }
}
