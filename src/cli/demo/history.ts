import type { Program } from '../../program.ts'
import type { WebSubscription } from '../../sandbox/web/subscriptions.ts'
import { bringPeople, loseSome, startApps } from './history/people.ts'
import { sendHistory } from './history/sends.ts'
import { stageOf } from './history/stage.ts'
import { followLinks, setUp, showMessages, talk } from './history/world.ts'

export interface HistoryOptions {
  /** Makes the subscription of a browser; its push service must be one that the settings allow. */
  subscribe(): WebSubscription
  signal?: AbortSignal | undefined
}

/** Counts of what the history has made. */
export interface History {
  people: number
}

/**
 * Gives an app that has gateways a history that anybody believes: two thousand users on five platforms who came in seven months,
 * twenty-four notifications of twelve weeks with deliveries, failures and opens, in-app messages, links with clicks, and a notification
 * for tomorrow.
 * The same numbers in every run. It works in small transactions and pauses between them, so that a server can answer
 * meanwhile. Throws when `signal` aborts, and `invalid` when the app has channels or links of these names.
 */
export async function fillHistory(program: Program, appId: number, options: HistoryOptions): Promise<History> {
  const { signal = new AbortController().signal } = options
  const stage = stageOf(program, appId, { subscribe: () => options.subscribe(), signal })
  const { goldSegment } = await setUp(stage)
  const people = await bringPeople(stage)
  await startApps(stage, people)
  await followLinks(stage)
  await sendHistory(stage, people, goldSegment)
  await loseSome(stage, people)
  await showMessages(stage, await talk(stage, people))
  return { people: people.length }
}
