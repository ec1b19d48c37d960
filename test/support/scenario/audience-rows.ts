import { type Row, row } from './row.ts'
import type { CallHow, Stage } from './stage.ts'
import { importId } from './world.ts'

/** Calls of people: segments and channels. */

const FILTER = { field: 'os', op: 'equals', value: 'Android' }

/** A call of an owner by personal token; `shown` is its path below the app. */
const by = (
  method: string,
  shown: string,
  pathOf: (s: Stage) => string,
  how: CallHow = {},
  more: Partial<Pick<Row, 'what' | 'larger' | 'most'>> = {},
): Row =>
  row(
    `${method} admin /v1/apps/:appId${shown}`,
    (s) => s.call(method.toUpperCase(), `/admin/v1/apps/${s.first.id}${pathOf(s)}`, { auth: 'person', ...how }),
    more,
  )

export const AUDIENCE_ROWS: readonly Row[] = [
  by(
    'get',
    '/segment-suggestions',
    () => '/segment-suggestions',
    {},
    { larger: 'looks at up to 1000 users and 10,000 events', most: 20 },
  ),
  by(
    'post',
    '/segment-counts',
    () => '/segment-counts',
    { body: { filter: FILTER } },
    { what: 'in a second', larger: 'checks up to 50,000 installs', most: 5 },
  ),
  by(
    'post',
    '/segment-counts',
    () => '/segment-counts',
    { body: { filter: FILTER, isWhole: true } },
    { what: 'whole', larger: 'counts everybody who matches', most: 5 },
  ),
  by('get', '/segments/:id/uses', (s) => `/segments/${s.world.segment}/uses`),
  by('get', '/channel-counts', () => '/channel-counts?ids=1,2', {}, { larger: 'counts every member', most: 20 }),
  by('get', '/channels/:id/uses', () => '/channels/1/uses'),
  by('get', '/channels/:uuid/members', (s) => `/channels/news/members?q=user-${s.some()}`),
  by('get', '/channels/:uuid/imports/:id/events', () => `/channels/news/imports/${importId(3)}/events`),
  by('get', '/channels/:uuid/imports/:id/unknown-users', () => `/channels/news/imports/${importId(3)}/unknown-users`),
]
