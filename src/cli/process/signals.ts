/** Signals within this time count as one request: a wrapper's `kill` and Ctrl-C on the terminal each arrive twice. */
const SAME_MS = 200
const STOPPING = ['SIGTERM', 'SIGINT'] as const
const ALL = [...STOPPING, 'SIGHUP'] as const

/** What a test has in the place of the time and of the process. */
interface Process {
  now(): number
  exit(code: number): void
}

/**
 * The one way in which the program hears that it is asked to stop: `asked` is called with the first signal, and a second,
 * later signal ends the process immediately with 128 + its number. The terminal needs no repair then, because no command
 * changes it (output/progress.ts). Returns what gives the signals back.
 */
export function hearSignals(
  asked: (signal: NodeJS.Signals) => void,
  signals: readonly NodeJS.Signals[] = ALL,
  { now, exit }: Process = { now: () => performance.now(), exit: (code) => process.exit(code) },
): () => void {
  let first: number | undefined
  const onSignal = (name: NodeJS.Signals, number: number) => {
    const at = now()
    if (first === undefined) {
      first = at
      asked(name)
    } else if (at - first > SAME_MS) exit(128 + number)
  }
  for (const name of signals) process.on(name, onSignal)
  return () => {
    for (const name of signals) process.off(name, onSignal)
  }
}

/**
 * `asked` resolves with the first signal that asks to stop. SIGHUP does, too, unless `onHangup` is given, which is called instead. `end` gives the
 * signals back: the process may go on behind the command.
 */
export function untilAskedToStop({ onHangup }: { onHangup?: () => void } = {}): {
  asked: Promise<NodeJS.Signals>
  end(): void
} {
  const { promise, resolve } = Promise.withResolvers<NodeJS.Signals>()
  const end = hearSignals(resolve, onHangup ? STOPPING : ALL)
  if (!onHangup) return { asked: promise, end }
  process.on('SIGHUP', onHangup)
  return {
    asked: promise,
    end() {
      end()
      process.off('SIGHUP', onHangup)
    },
  }
}

/** A signal that aborts when the process is asked to stop, for a command that then undoes its work. `end` ends that. */
export function stopSignal(): { signal: AbortSignal; end(): void } {
  const stop = new AbortController()
  return { signal: stop.signal, end: hearSignals(() => stop.abort()) }
}
