import { asUnavailable } from '../../../platform/db/unavailable.ts'
import { isAppError } from '../../../platform/errors.ts'
import type { Log } from '../../../platform/log/log.ts'
import type { EventType } from '../event-types.ts'
import type { EventContext, EventHandler, HandledEvent } from '../handler.ts'
import type { EventsRepository } from '../repository.ts'
import type { EventData } from '../types.ts'

/**
 * Ways to run effects. `careful`: each in a savepoint, so that a failing effect is undone alone. `trusting`: without
 * savepoints, which saves most of the statements. A failing effect then throws `HandlerFailed`, and the transaction must be
 * repeated carefully.
 */
export type Manner = 'careful' | 'trusting'

/** A handler failed in a `trusting` transaction, which must be rolled back. */
export class HandlerFailed extends Error {}

export interface EffectsParts {
  repo: EventsRepository
  types: ReadonlyMap<string, EventType>
  /** The handler of each area, built when an event needs it. Effects are run in this order of the areas. */
  handlers: Readonly<Record<string, () => EventHandler>>
  log: Log
}

/** An event, and what its handler read in it. */
interface Request {
  event: HandledEvent
  context: EventContext
  value: unknown
}

type Outcome = { value: unknown } | { failure: unknown }

/** The effects of the events of some uploads of one app. A failing effect is logged; nothing else is lost with it. */
export function createEffects({ repo, types, handlers, log }: EffectsParts, appId: number, manner: Manner) {
  const pending = new Map<string, Request[]>()

  async function trusting(work: () => Promise<void>): Promise<Outcome> {
    try {
      return { value: await work() }
    } catch (error) {
      const failure = asUnavailable(error)
      if (isAppError(failure) && failure.code === 'unavailable') throw error
      throw new HandlerFailed('a handler failed', { cause: error })
    }
  }

  /** Runs `work` for all requests together, or one by one when that fails. Logs those that fail alone. */
  async function attempt(all: readonly Request[], work: (some: readonly Request[]) => Promise<void>): Promise<void> {
    const run = (some: readonly Request[]): Promise<Outcome> =>
      manner === 'careful' ? repo.alone(() => work(some)) : trusting(() => work(some))
    if (all.length > 1 && !('failure' in (await run(all)))) return
    for (const one of all) {
      const outcome = await run([one])
      if ('failure' in outcome) logFailure(one.event, one.context, outcome.failure)
    }
  }

  function logFailure({ type, uuid }: HandledEvent, { install }: EventContext, failure: unknown): void {
    const about = { appId, installId: install.installId, type, uuid }
    if (isAppError(failure)) {
      log.info({ ...about, error: failure.message, ...failure.details }, 'an event was stored without its effect')
    } else {
      log.error({ ...about, err: failure }, 'the handler of an event failed; the event was stored without its effect')
    }
  }

  function read(area: string, event: HandledEvent, context: EventContext): unknown {
    try {
      return handlers[area]!().read[event.type]!(event, context)
    } catch (failure) {
      logFailure(event, context, failure)
      return undefined
    }
  }

  /**
   * The requests of each area, in the order of `handlers`: transactions that lock the same rows lock them in the same
   * order.
   */
  const byArea = () => Object.keys(handlers).flatMap((area) => ({ area, all: pending.get(area) ?? [] }))

  const valuesOf = (some: readonly Request[]) => some.map(({ value }) => value)

  return {
    /** Hands an event to the areas that act on it. Effects marked `atOnce` are in place when this resolves. */
    async take(event: HandledEvent, context: EventContext): Promise<void> {
      const type = types.get(event.type)
      for (const area of type?.handledBy ?? []) {
        const value = read(area, event, context)
        if (value === undefined) continue
        const request = { event, context, value }
        if (type?.atOnce) await attempt([request], async (some) => handlers[area]!().act?.(appId, valuesOf(some)))
        else if (pending.has(area)) pending.get(area)!.push(request)
        else pending.set(area, [request])
      }
    },

    /** Additions of the areas to the data of the events that they were handed. */
    async additions(): Promise<Map<HandledEvent, EventData>> {
      const additions = new Map<HandledEvent, EventData>()
      for (const { area, all } of byArea()) {
        const { adds } = all.length > 0 ? handlers[area]!() : {}
        if (!adds) continue
        await attempt(all, async (some) => {
          const added = await adds(appId, valuesOf(some))
          for (const [i, { event }] of some.entries()) {
            if (added[i]) additions.set(event, { ...additions.get(event), ...added[i] })
          }
        })
      }
      return additions
    },

    /** Runs the effects that waited for the end of the uploads. */
    async finish(): Promise<void> {
      for (const { area, all } of byArea()) {
        const { act } = all.length > 0 ? handlers[area]!() : {}
        if (act) await attempt(all, (some) => act(appId, valuesOf(some)))
      }
    },
  }
}
