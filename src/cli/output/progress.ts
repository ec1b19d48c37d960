import type { Io } from '../process/io.ts'
import { hideBar, type ShownBar, showBar } from './bar-line.ts'
import { cutToWidth } from './columns.ts'
import { countOf } from './plural.ts'

/** Progress of a long job on standard error: a bar on a terminal, elsewhere a line every few seconds. */
export interface Progress {
  /**
   * `total` is undefined while it is unknown; then `part`, from 0 to 1, says how much of the input is read, if that is
   * known.
   */
  update(done: number, total?: number, part?: number): void
  /** Hides the bar so that something else can be printed; the next update shows it again. */
  pause(): void
  stop(): void
}

const LINE_EVERY_MS = 5000
/** Jobs that end earlier print no progress. */
const SILENT_MS = 1000
/** Cells of the bar, and on a terminal narrower than `NARROW`. */
const CELLS = 30
const NARROW_CELLS = 10
const NARROW = 72

const NONE: Progress = { update() {}, pause() {}, stop() {} }

/** `what` is the singular noun of what is counted, for example `line`. */
export async function startProgress(io: Io, what: string): Promise<Progress> {
  if (io.quiet) return NONE
  const begun = performance.now()
  const figures = (done: number, total: number | undefined, part: number | undefined) => {
    const seconds = Math.max(1, performance.now() - begun) / 1000
    const share = total === undefined ? part : done / Math.max(1, total)
    return {
      share,
      counted: total === undefined ? countOf(done, what) : `${done} of ${countOf(total, what)}`,
      rate: `${Math.round(done / seconds)}/s`,
      percent: share === undefined ? undefined : `${Math.floor(Math.min(1, share) * 100)}%`,
      left: share ? `${durationInWords((seconds / share) * (1 - Math.min(1, share)))} left` : undefined,
    }
  }
  if (io.stderr.isTTY !== true) {
    let last = begun
    return {
      ...NONE,
      update(done, total, part) {
        const now = performance.now()
        if (now - last < LINE_EVERY_MS) return
        last = now
        const { counted, percent, rate, left } = figures(done, total, part)
        io.stderr.write(`${[percent ? `${counted} (${percent})` : counted, rate, left].filter(Boolean).join(', ')}\n`)
      },
    }
  }
  const { default: cliProgress } = await import('cli-progress')
  const bar = new cliProgress.SingleBar({
    stream: io.stderr,
    format: (_options, _params, { share, text }: { share: number | undefined; text: string }) => {
      const columns = io.stderr.columns ?? 80
      const cells = columns < NARROW ? NARROW_CELLS : CELLS
      const filled = Math.min(cells, Math.round((share ?? 0) * cells))
      const drawn = share === undefined ? '' : `${'█'.repeat(filled)}${'░'.repeat(cells - filled)} `
      return cutToWidth(drawn + text, columns - 1)
    },
    clearOnComplete: true,
    // Neither is changed, so that there is nothing to restore when the process is killed.
    hideCursor: false,
    linewrap: true,
  })
  let shown = false
  const pause = () => {
    if (shown) bar.stop()
    shown = false
    hideBar(io.stderr, line)
  }
  const line: ShownBar = { pause }
  return {
    update(done, total, part) {
      if (!shown && performance.now() - begun < SILENT_MS) return
      const { share, counted, percent, rate, left } = figures(done, total, part)
      // What matters most comes first: a narrow terminal shows only the beginning.
      const payload = { share, text: [percent, left, counted, rate].filter(Boolean).join(', ') }
      if (!shown) bar.start(1, 0, payload)
      shown = true
      showBar(io.stderr, line)
      bar.update(0, payload)
    },
    pause,
    stop: pause,
  }
}

/** `12 s`, `3 min`, `1 h 20 min`. */
export function durationInWords(seconds: number): string {
  if (seconds < 100) return `${Math.ceil(seconds)} s`
  const minutes = Math.ceil(seconds / 60)
  if (minutes < 100) return `${minutes} min`
  return `${Math.floor(minutes / 60)} h ${minutes % 60} min`
}
