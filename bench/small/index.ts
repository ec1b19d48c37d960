import { findProgram, lacks } from '../../test/support/needs.ts'
import type { Result } from '../support/result.ts'
import { measureInAppToOne } from './in-app.ts'
import { measureKept } from './kept.ts'
import { measureLoad, type SmallOptions } from './loads.ts'
import { measureNotify } from './notify.ts'
import { measureApps, measureBroadcast, measureChat, measureScheduled, measureThrottled } from './scenarios.ts'
import { measureWaits } from './waits.ts'

const PARTS: Record<string, (options: SmallOptions) => Promise<Result[]>> = {
  one: (options) => measureLoad('one', options),
  five: (options) => measureLoad('five', options),
  'five-hundred': (options) => measureLoad('five hundred', options),
  waits: measureWaits,
  scheduled: measureScheduled,
  throttled: measureThrottled,
  apps: measureApps,
  broadcast: measureBroadcast,
  chat: measureChat,
  notify: measureNotify,
  kept: measureKept,
  'in-app': measureInAppToOne,
}

/**
 * Measures small sends: many requests with few recipients each. `only` names parts, separated by commas; all of them when absent.
 */
export async function benchSmall({ only, ...options }: SmallOptions & { only: string | undefined }): Promise<Result[]> {
  if (findProgram('nghttpd') === undefined) throw new Error(lacks('nghttpd'))
  const results: Result[] = []
  for (const name of only?.split(',') ?? Object.keys(PARTS)) {
    const part = PARTS[name]
    if (!part) throw new Error(`--only ${name}: the bench small knows ${Object.keys(PARTS).join(', ')}`)
    results.push(...(await part(options)))
  }
  return results
}
