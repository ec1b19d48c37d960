import type { MessagePort } from 'node:worker_threads'
import { isAppError } from '../errors.ts'
import type { Log } from '../log/log.ts'
import { withoutTexts } from '../log/without-texts.ts'
import { failpoint } from '../process/failpoints.ts'
import { type FromReader, sentError, type ToReader } from './messages.ts'
import type { Pace } from './pace.ts'
import type { AdmittedRead, Turns } from './turns.ts'

/** The reads that a thread can do, by name. They wait for their turn before each statement. */
export type ReadCalls = Record<string, (pace: Pace, ...args: never[]) => Promise<unknown>>

/**
 * Does what is asked on a port, in the reader thread, until the port is closed. The result closes it, and resolves when
 * the reads under way have ended.
 */
export function serveReads(port: MessagePort, calls: ReadCalls, turns: Turns, log: Log): () => Promise<void> {
  const reads = new Map<number, AdmittedRead>()
  const running = new Set<Promise<void>>()
  const say = (message: FromReader) => port.postMessage(message)

  async function run({ ask, call, args, who, seconds }: Extract<ToReader, { ask: number }>): Promise<void> {
    let read: AdmittedRead | undefined
    try {
      const work = calls[call]
      if (!work) throw new Error(`there is no read ${call}`)
      read = turns.admit(who, seconds)
      reads.set(ask, read)
      failpoint('reads.admitted')
      say({ answer: ask, value: await work(read, ...(args as never[])) })
    } catch (error) {
      if (!isAppError(error)) log.error({ err: withoutTexts(error), read: call }, 'a long read failed')
      say({ answer: ask, error: sentError(error) })
    } finally {
      reads.delete(ask)
      read?.end()
    }
  }

  port.on('message', (message: ToReader) => {
    if ('cancel' in message) reads.get(message.cancel)?.cancel()
    else {
      const work: Promise<void> = run(message).finally(() => running.delete(work))
      running.add(work)
    }
  })
  const cancelAll = () => {
    for (const read of reads.values()) read.cancel()
  }
  port.on('close', cancelAll)
  say('welcome')
  return async () => {
    cancelAll()
    port.close()
    await Promise.all(running)
  }
}
