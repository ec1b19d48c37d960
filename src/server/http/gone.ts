import type { ServerResponse } from 'node:http'

/** Aborted when the connection is closed before the answer is sent: then nobody waits for it. */
export function goneSignal(response: ServerResponse): AbortSignal {
  const gone = new AbortController()
  const leave = () => {
    if (!response.writableFinished) gone.abort()
  }
  if (response.closed) leave()
  else response.once('close', leave)
  return gone.signal
}
