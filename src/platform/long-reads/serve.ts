import type { MessagePort } from 'node:worker_threads'
import type { Replica } from '../db/replica.ts'
import { isDatabaseFault, isStatementTimeout } from '../db/unavailable.ts'
import { isAppError } from '../errors.ts'
import type { Log } from '../log/log.ts'
import { withoutTexts } from '../log/without-texts.ts'
import { failpoint } from '../process/failpoints.ts'
import { type FromReader, sentError, type ToReader } from './messages.ts'
import type { Pace } from './pace.ts'
import type { AdmittedRead, Turns } from './turns.ts'

/** The reads that a thread can do, by name. They wait for their turn before each statement. */
export type ReadCalls = Record<string, (pace: Pace, ...args: never[]) => Promise<unknown>>

/** The places where a thread can do its reads: on the primary, and on a standby when there is one. */
export interface ReadPlaces {
  calls: ReadCalls
  standby?: { calls: ReadCalls; replica: Replica }
}

/**
 * Does a read on the standby while that has all that was stored when the read was asked, otherwise on the primary; again on the primary when
 * the standby fails, or ends the read because it hinders its replay.
 */
async function readSomewhere(
  { calls, standby }: ReadPlaces,
  call: string,
  pace: Pace,
  args: readonly unknown[],
): Promise<unknown> {
  const onPrimary = calls[call]
  if (!onPrimary) throw new Error(`there is no read ${call}`)
  const elsewhere = standby && (await standby.replica.isCurrent()) ? standby.calls[call] : undefined
  if (elsewhere) {
    try {
      return await elsewhere(pace, ...(args as never[]))
    } catch (error) {
      // An error with a code of ours is an answer, or the end of the time of the read.
      if (isAppError(error) || !isDatabaseFault(error) || isStatementTimeout(error)) throw error
      standby!.replica.failed(error)
    }
  }
  return onPrimary(pace, ...(args as never[]))
}

/**
 * Does the reads that are asked for on a port, in the reader thread, until the port is closed. The result closes it, and resolves
 * when the reads under way have ended.
 */
export function serveReads(port: MessagePort, places: ReadPlaces, turns: Turns, log: Log): () => Promise<void> {
  const reads = new Map<number, AdmittedRead>()
  const running = new Set<Promise<void>>()
  const say = (message: FromReader) => port.postMessage(message)

  async function run({ ask, call, args, who, seconds }: Extract<ToReader, { ask: number }>): Promise<void> {
    let read: AdmittedRead | undefined
    try {
      read = turns.admit(who, seconds)
      reads.set(ask, read)
      failpoint('reads.admitted')
      say({ answer: ask, value: await readSomewhere(places, call, read, args) })
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
