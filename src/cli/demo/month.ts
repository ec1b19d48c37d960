import type { Program } from '../../program.ts'
import type { WebSubscription } from '../../sandbox/web/subscriptions.ts'
import { bringPeople } from './month/people.ts'
import { sendMonth } from './month/sends.ts'
import { stageOf } from './month/stage.ts'
import { followLinks, setUp, showMessages, talk } from './month/world.ts'

export interface MonthOptions {
  /** Makes the subscription of a browser; its push service must be one that the settings allow. */
  subscribe(): WebSubscription
  signal?: AbortSignal | undefined
}

/** Counts of what the month has made. */
export interface Month {
  people: number
}

/**
 * Gives an app that has gateways a month that anybody believes: two thousand users on five platforms, sixteen
 * notifications with deliveries, failures and opens, in-app messages, links with clicks, and a notification for tomorrow.
 * The same numbers in every run. It works in small transactions and pauses between them, so that a server can answer
 * meanwhile. Throws when `signal` aborts, and `invalid` when the app has channels or links of these names.
 */
export async function fillMonth(program: Program, appId: number, options: MonthOptions): Promise<Month> {
  const { signal = new AbortController().signal } = options
  const stage = stageOf(program, appId, { subscribe: () => options.subscribe(), signal })
  const { goldSegment } = await setUp(stage)
  const people = await bringPeople(stage)
  await followLinks(stage)
  await sendMonth(stage, people, goldSegment)
  await showMessages(stage, await talk(stage, people))
  return { people: people.length }
}
