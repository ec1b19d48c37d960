import { asUnavailable } from '../../platform/db/unavailable.ts'
import { isAppError } from '../../platform/errors.ts'
import type { Log } from '../../platform/log.ts'
import type { EventContext, EventHandlers, GatheringHandler, GatheringHandlers, HandledEvent } from './handlers.ts'
import type { EventsRepository } from './repository.ts'
import type { EventData } from './types.ts'

/**
 * How effects are brought about. `careful`: each in a savepoint, so that a failing one is taken back alone. `trusting`: without,
 * which saves most of the statements; a failing one is thrown as `HandlerFailed`, and the transaction is to be done again carefully.
 */
export type Manner = 'careful' | 'trusting'

/** A handler failed where none was expected to: the transaction is of no use. */
export class HandlerFailed extends Error {}

export interface EffectsParts {
  repo: EventsRepository
  handlers: EventHandlers
  gathering: GatheringHandlers
  log: Log
}

type Outcome<T> = { value: T } | { failure: unknown }

/** What the events of some uploads of one app do. A failing effect is logged and costs only itself. */
export function effectsOf({ repo, handlers, gathering, log }: EffectsParts, appId: number, manner: Manner) {
  const gathered = new Map<GatheringHandler['act'], { event: HandledEvent; context: EventContext; value: unknown }[]>()

  async function trusting<T>(work: () => Promise<T>): Promise<Outcome<T>> {
    try {
      return { value: await work() }
    } catch (error) {
      const failure = asUnavailable(error)
      if (isAppError(failure) && failure.code === 'unavailable') throw error
      throw new HandlerFailed('a handler failed', { cause: error })
    }
  }

  function attempt<T>(work: () => Promise<T>): Promise<Outcome<T>> {
    return manner === 'careful' ? repo.alone(work) : trusting(work)
  }

  function tell({ type, uuid }: HandledEvent, { install }: EventContext, failure: unknown): void {
    const about = { appId, installId: install.installId, type, uuid }
    if (isAppError(failure)) {
      log.info({ ...about, error: failure.message, ...failure.details }, 'an event was stored without its effect')
    } else {
      log.error({ ...about, err: failure }, 'the handler of an event failed; the event was stored without its effect')
    }
  }

  /** Keeps what the event says for `finish`; what that adds to the event's data. */
  function gather(event: HandledEvent, context: EventContext): EventData | void {
    try {
      const { read, adds, act } = gathering[event.type]!
      const value = read(event, context)
      if (value === undefined) return
      const list = gathered.get(act)
      if (list) list.push({ event, context, value })
      else gathered.set(act, [{ event, context, value }])
      return adds?.(value)
    } catch (failure) {
      tell(event, context, failure)
    }
  }

  return {
    /** Brings about what one event does, or keeps it for `finish`. What it adds to the event's data. */
    async act(event: HandledEvent, context: EventContext): Promise<EventData | void> {
      const added = Object.hasOwn(gathering, event.type) ? gather(event, context) : undefined
      const handler = Object.hasOwn(handlers, event.type) ? handlers[event.type] : undefined
      if (!handler) return added
      const outcome = await attempt(async () => handler(event, context))
      if ('failure' in outcome) tell(event, context, outcome.failure)
      else if (outcome.value) return { ...added, ...outcome.value }
      return added
    },

    /** Brings about what is done for all uploads together; one by one when that fails. */
    async finish(): Promise<void> {
      for (const [act, all] of gathered) {
        const actOn = (some: typeof all) =>
          act(
            appId,
            some.map(({ value }) => value),
          )
        if (!('failure' in (await attempt(() => actOn(all))))) continue
        for (const one of all) {
          const outcome = await attempt(() => actOn([one]))
          if ('failure' in outcome) tell(one.event, one.context, outcome.failure)
        }
      }
    },
  }
}
