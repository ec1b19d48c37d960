/** `kill` from a wrapper and Ctrl-C from the terminal arrive twice within a moment and mean one request. */
const SAME_MS = 200
const STOPPING = ['SIGTERM', 'SIGINT'] as const

/**
 * Resolves with the first signal that asks to stop. A second one, later, ends the process at once with 128 + its number:
 * somebody does not want to wait. A hang-up (SIGHUP) asks to stop as well, unless there is `onHangup`, which is called then.
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
