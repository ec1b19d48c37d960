import { AppError } from '../../../platform/errors.ts'
import type { Log } from '../../../platform/log/log.ts'
import type { Changes } from '../../../platform/threads/changes.ts'
import type { Clock } from '../../../platform/time/clock.ts'
import type { Position } from '../position.ts'
import type { LogQuery } from '../types.ts'
import { wants } from '../wants.ts'
import type { EventLog } from './service.ts'

/** Interval of looking without being woken: other processes store events too. */
const LOOK_MS = 1000
/** Commits that follow each other closely wake those who wait once. */
const GATHER_MS = 50
/** Who may wait at once: in this thread, and for the events of one app. */
const MOST = 200
const MOST_OF_APP = 50

/** Somebody who waits for events of an app. */
interface Listener extends Wanted {
  hear(): void
}

/** What somebody waits for. */
type Wanted = Pick<LogQuery, 'types' | 'deliveries'> & { appId: number }

/** Waiting for one event, from before a read until after it. */
export interface Waiting {
  /** Resolves when there may be something new, after `ms`, or when the signal aborts. */
  within(ms: number, signal: AbortSignal): Promise<void>
  /** Call it in the end. */
  leave(): void
}

export type LogWatch = ReturnType<typeof createLogWatch>

/**
 * Lets readers wait for events. While anybody waits, one loop of the thread looks at what was stored since it looked
 * last, when this process has committed events and once a second, and wakes those for whom there is something. So a
 * reader that waits costs nothing.
 */
export function createLogWatch(parts: { eventLog: () => EventLog; changes: Changes; clock: Clock; log: Log }) {
  const { eventLog, changes, clock, log } = parts
  const listeners = new Set<Listener>()
  let ended = false
  /** Resolves when the loop knows where the log ends, so that it misses nothing from then on. */
  let started: Promise<void> | undefined

  function wake(isFor: (listener: Listener) => boolean): void {
    for (const listener of listeners) if (isFor(listener)) listener.hear()
  }

  async function watch(from: Position): Promise<void> {
    let at = from
    while (listeners.size > 0 && !ended) {
      const seen = changes.count('events')
      try {
        const { types, next, atEnd } = await eventLog().glance(at)
        at = next
        if (types.size > 0) {
          wake((listener) => [...(types.get(listener.appId) ?? [])].some((type) => wants(listener, type)))
        }
        if (!atEnd) continue
      } catch (error) {
        // Those who wait look for themselves, and get the error.
        log.debug({ err: error }, 'the event log cannot be watched')
        wake(() => true)
      }
      await changes.next('events', seen, LOOK_MS)
      await clock.sleep(GATHER_MS)
    }
    started = undefined
  }

  async function start(): Promise<void> {
    const from = await eventLog().end()
    void watch(from)
  }

  function refuseIfFull(appId: number): void {
    const ofApp = [...listeners].filter((listener) => listener.appId === appId).length
    if (ofApp < MOST_OF_APP && listeners.size < MOST) return
    const headers = { 'Retry-After': '1' }
    throw new AppError('too_many', 'too many readers wait for events already: ask again later, or without wait', {
      headers,
    })
  }

  return {
    /**
     * Begins to listen; whoever reads afterwards misses nothing that is stored later. Throws `too_many` when too many
     * wait.
     */
    async listen(wanted: Wanted): Promise<Waiting> {
      refuseIfFull(wanted.appId)
      let heard = ended
      let answer: (() => void) | undefined
      const listener: Listener = {
        ...wanted,
        hear() {
          heard = true
          answer?.()
        },
      }
      listeners.add(listener)
      try {
        await (started ??= start())
      } catch (error) {
        listeners.delete(listener)
        started = undefined
        throw error
      }
      return {
        within: (ms, signal) =>
          new Promise((resolve) => {
            const done = () => {
              heard = ended
              answer = undefined
              clearTimeout(timer)
              signal.removeEventListener('abort', done)
              resolve()
            }
            const timer = setTimeout(done, ms)
            if (heard || signal.aborted) return done()
            answer = done
            signal.addEventListener('abort', done, { once: true })
          }),
        leave: () => void listeners.delete(listener),
      }
    },

    /** Whether waiting has been ended for all. */
    isEnded: () => ended,

    /** How many wait; for tests. */
    waiting: () => listeners.size,

    /** Everybody who waits is answered at once, from now on: the server stops. */
    end(): void {
      ended = true
      wake(() => true)
    },
  }
}
