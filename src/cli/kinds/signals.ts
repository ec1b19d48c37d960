/** Signals within this time count as one request: a wrapper's `kill` and Ctrl-C on the terminal each arrive twice. */
const SAME_MS = 200
const STOPPING = ['SIGTERM', 'SIGINT'] as const

/**
 * Resolves with the first signal that asks to stop. A second, later signal ends the process immediately with 128 + its
 * number. SIGHUP asks to stop as well, unless `onHangup` is given, which is called instead.
 */
export function untilAskedToStop({ onHangup }: { onHangup?: () => void } = {}): Promise<NodeJS.Signals> {
  return new Promise((resolve) => {
    let first = 0
    if (onHangup) process.on('SIGHUP', onHangup)
    for (const signal of onHangup ? STOPPING : ([...STOPPING, 'SIGHUP'] as const)) {
      process.on(signal, (name: NodeJS.Signals, number: number) => {
        const now = performance.now()
        if (first === 0) {
          first = now
          resolve(name)
        } else if (now - first > SAME_MS) process.exit(128 + number)
      })
    }
  })
}

/** A signal that aborts when the process is asked to stop, for a command that then undoes its work. `end` ends that. */
export function stopSignal(): { signal: AbortSignal; end(): void } {
  const stop = new AbortController()
  const asked = () => stop.abort()
  for (const name of STOPPING) process.on(name, asked)
  return {
    signal: stop.signal,
    end() {
      for (const name of STOPPING) process.off(name, asked)
    },
  }
}
