import type { MessagePort, Transferable } from 'node:worker_threads'
import type { ReaderConnection, ReaderSource } from './client.ts'
import { receivedError, type SentError, sentError } from './messages.ts'

/**
 * Ports to the reader thread for a thread that did not start it: it asks the one that did. Only the port is passed on,
 * so the two threads at its ends need nobody between them, and a thread that ends closes its port.
 */

/** Messages to the thread that has the source: a port is wanted; the thread behind a port does not answer any more. */
export type ToSource = { connect: number } | { giveUp: number }

/** Messages from the thread that has the source: a port, or the reason why there is none. */
export type FromSource = { connect: number; port: MessagePort } | { connect: number; error: SentError }

/** A source of ports in another thread, to which `say` passes messages. `hear` must get those that it says. */
export function createDistantSource(
  say: (message: ToSource) => void,
): ReaderSource & { hear(message: FromSource): void } {
  const asking = new Map<number, PromiseWithResolvers<ReaderConnection>>()
  let asked = 0
  return {
    connect() {
      const connect = ++asked
      const made = Promise.withResolvers<ReaderConnection>()
      asking.set(connect, made)
      say({ connect })
      return made.promise
    },

    hear({ connect, ...made }) {
      const waiting = asking.get(connect)
      asking.delete(connect)
      if ('error' in made) waiting?.reject(receivedError(made.error))
      else waiting?.resolve({ port: made.port, giveUp: () => say({ giveUp: connect }) })
    },
  }
}

/** Lends the source of this thread to another one, to which `say` passes messages. `hear` must get those that it says. */
export function lendSource(
  source: ReaderSource,
  say: (message: FromSource, transfer: Transferable[]) => void,
): { hear(message: ToSource): void; close(): void } {
  /** The connection that was made last: the other thread uses one at a time. */
  let last: { connect: number; giveUp(): void } | undefined
  let isClosed = false

  async function lend(connect: number): Promise<void> {
    try {
      const { port, giveUp } = await source.connect()
      last = { connect, giveUp }
      // To a thread that has ended, the port would not be passed on.
      if (isClosed) port.close()
      else say({ connect, port }, [port])
    } catch (error) {
      if (!isClosed) say({ connect, error: sentError(error) }, [])
    }
  }

  return {
    hear(message) {
      if ('connect' in message) void lend(message.connect)
      else if (message.giveUp === last?.connect) last.giveUp()
    },

    /** The other thread has ended: nothing is passed to it any more. */
    close() {
      isClosed = true
    },
  }
}
