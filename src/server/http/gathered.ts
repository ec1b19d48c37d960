import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'

/**
 * Collects the requests that are read in one turn of the event loop, and hands them to `listener` one right after the other at its
 * end, several of them inside `together`. So their work runs bunched: first the reads, then the answers. One answer at a time costs
 * twice as much, because each write wakes a client that has nothing else to read yet
 * (docs/decisions/measurements.md). `listener` must not throw.
 */
export function gathered(listener: RequestListener, together: (work: () => void) => void): RequestListener {
  let waiting: [IncomingMessage, ServerResponse][] = []

  function answerAll(): void {
    const arrived = waiting
    waiting = []
    const work = () => {
      for (const [request, response] of arrived) listener(request, response)
    }
    if (arrived.length > 1) together(work)
    else work()
  }

  return (request, response) => {
    // Runs right after all sockets with something to read were read.
    if (waiting.length === 0) setImmediate(answerAll)
    waiting.push([request, response])
  }
}
