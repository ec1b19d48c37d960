import type { ServerResponse } from 'node:http'

/** The signal of each response: parts of one call that ask for it share a listener. */
const signals = new WeakMap<ServerResponse, AbortSignal>()

/** Aborted when the connection is closed before the answer is sent: then nobody waits for it. */
export function goneSignal(response: ServerResponse): AbortSignal {
  const known = signals.get(response)
  if (known) return known
  const gone = new AbortController()
  const leave = () => {
    if (!response.writableFinished) gone.abort()
  }
  if (response.closed) leave()
  else response.once('close', leave)
  signals.set(response, gone.signal)
  return gone.signal
}
