import type { Io } from '../io.ts'
import { countOf } from './plural.ts'

/** Progress of a long job on standard error: a bar on a terminal, elsewhere a line every few seconds. */
export interface Progress {
  /** `total` is undefined while it is unknown. */
  update(done: number, total?: number): void
  /** Hides the bar so that something else can be printed; the next update shows it again. */
  pause(): void
  stop(): void
}

const LINE_EVERY_MS = 5000
/** Jobs that end earlier print no progress. */
const SILENT_MS = 1000

/** `what` is the singular noun of what is counted, for example `line`. */
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
          `${total === undefined ? countOf(done, what) : `${done} of ${countOf(total, what)}`}, ${rate(done)}/s\n`,
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
      if (!total) return `${countOf(value, what)}, ${rate}/s`
      const filled = Math.min(30, Math.round((value / total) * 30))
      return `${'█'.repeat(filled)}${'░'.repeat(30 - filled)} ${value} of ${countOf(total, what)}, ${rate}/s`
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
