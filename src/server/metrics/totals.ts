import type { RequestTotals } from '../../domain/load/types.ts'
import { routes } from '../routes.ts'
import type { Series } from './request-counts.ts'

const keyOf = (area: string, method: string, path: string) => `${area} ${method} ${path}`

/** The callers of the routes that need a key, by area, method and path. */
const CALLERS: ReadonlyMap<string, 'serverCalls' | 'deviceCalls'> = new Map(
  routes
    .filter(({ needs }) => needs !== 'person' && needs !== 'nobody')
    .flatMap(({ area, method, path, device }) =>
      [area].flat().map((one) => [keyOf(one, method, path), device ? 'deviceCalls' : 'serverCalls'] as const),
    ),
)

/** Adds up answered requests by who called. Pages, the admin interface and links count only where they failed. */
export function totalsOf(series: readonly Series[]): RequestTotals {
  const totals: RequestTotals = { serverCalls: 0, deviceCalls: 0, errors: 0 }
  for (const { area, method, route, statuses } of series) {
    const caller = CALLERS.get(keyOf(area, method, route))
    for (const [status, count] of statuses) {
      if (caller !== undefined) totals[caller] += count
      if (status >= 500) totals.errors += count
    }
  }
  return totals
}
