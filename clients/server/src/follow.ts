import type { Client } from 'openapi-fetch'
import { AppsvcError, dataOf } from './errors.ts'
import { CutOff, readLines } from './lines.ts'
import type { Settings } from './options.ts'
import { backOff } from './retry.ts'
import type { components, paths } from './schema.ts'

/** An event as the event log has it. */
export type LoggedEvent = components['schemas']['LoggedEvent']

/** Settings of `events.follow()`. */
export interface FollowInit {
  /** Position behind which to begin: the `id` of an event. Default: the oldest event that is kept. */
  after?: string
  /** Only events of these types. */
  types?: readonly string[]
  /** `deliveries`: also `notification.page`, what became of each recipient. */
  include?: 'deliveries'
  /** Ends the loop. */
  signal?: AbortSignal
}

/** Most seconds for which the server waits for an event before it answers without one. */
const WAIT_S = 20
const LIMIT = 1000
/** Least milliseconds between two questions without an answer: a server may answer at once that nothing is new. */
const PAUSE_MS = 1000

/**
 * Yields every event behind `after`, then each new one as it is stored. Lost connections, restarts of the server and answers 429 and
 * 5xx are followed by another try, at the position behind the last event, for ever. Other answers throw `AppsvcError`: 410 says
 * that events behind `after` were forgotten.
 */
export async function* follow(
  api: Client<paths>,
  { sleep, timeoutMs }: Pick<Settings, 'sleep' | 'timeoutMs'>,
  { after, types, include, signal = new AbortController().signal }: FollowInit = {},
): AsyncGenerator<LoggedEvent, void> {
  let failures = 0
  while (!signal.aborted) {
    try {
      const asked = Date.now()
      const { body, next } = await read(after)
      let isEmpty = true
      for await (const event of readLines<LoggedEvent>(body, timeoutMs)) {
        isEmpty = false
        yield event
        after = event.id
        if (signal.aborted) return
      }
      after = next
      failures = 0
      if (isEmpty && Date.now() - asked < PAUSE_MS) await sleep(PAUSE_MS, signal)
    } catch (error) {
      if (signal.aborted) return
      if (!mayPass(error)) throw error
      failures++
      await sleep(backOff(failures), signal).catch(() => undefined)
    }
  }

  async function read(position: string | undefined) {
    const query = {
      limit: LIMIT,
      // Half of the time that an answer may take.
      wait: Math.min(Math.max(Math.floor(timeoutMs / 2000), 1), WAIT_S),
      ...(position !== undefined && { after: position }),
      ...(types && { types: types.join(',') }),
      ...(include && { include }),
    }
    const accept = { accept: 'application/x-ndjson' }
    const options = { params: { query }, headers: accept, parseAs: 'stream', signal } as const
    const result = await api.GET('/messages/v1/events', options)
    return { body: dataOf(result), next: result.response.headers.get('next-after') ?? position }
  }
}

/** Tells whether an error is of the moment: no answer, half of one, or one that asks for another try. */
function mayPass(error: unknown): boolean {
  if (error instanceof AppsvcError) return error.status === 429 || error.status >= 500
  return error instanceof CutOff || error instanceof TypeError || (error as Error).name === 'TimeoutError'
}
