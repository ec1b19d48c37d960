import { labelsOf } from '../../domain/labels/schema.ts'
import { EACH_ZONE, type Occurrence, type Recurrence, readRecurrence } from '../../domain/schedules/recurrence.ts'
import type { SeriesAhead, SeriesReport, ShownOccurrence } from '../../domain/series/service.ts'
import { SERIES_KINDS, SERIES_STATES, type Series } from '../../domain/series/types.ts'
import { isoOffset } from '../../platform/time/clock.ts'
import {
  answer,
  count,
  free,
  integer,
  list,
  nullable,
  oneOf,
  optional,
  pageOf,
  string,
  time,
  told,
  type Words,
  within,
} from '../schema.ts'
import { APP_ID, CREATED_AT, ID, UPDATED_AT } from '../words.ts'
import { LABELS } from './labels.ts'

const STATE: Words = ['`active`; `paused`; `ended`; or `broken`, when it cannot be sent until it is mended.', 'active']
export const MADE_SERIES: Words = ['The series that the request made; absent unless it repeats.']
export const NEXT: Words = [
  'The next five times: in UTC, or where the zone of each install decides, as the clock there shows them.',
  ['2026-03-02T08:00:00+0000', '2026-03-09T08:00:00+0000'],
]
const LOCAL: Words = ['What the clock of the series shows then.', '2026-03-02 09:00']
const NOTIFICATION: Words = ['The notification that was made for it; null without one.', 12]
const MESSAGE: Words = ['The in-app message that was made for it; null without one.', 12]

/** The times ahead of a series, as they are written in answers. */
function timesOf({ series, next }: Pick<SeriesAhead, 'series' | 'next'>): string[] {
  return presentTimes(readRecurrence(series.request.schedule), next)
}

/** Times of a rule, as they are written in answers. */
export function presentTimes(rule: Recurrence | undefined, next: readonly Occurrence[]): string[] {
  const written = ({ local, at }: Occurrence) => (rule?.timezone === EACH_ZONE ? local : isoOffset(at))
  return next.map(written)
}

/** The labels in the body of a send; undefined for none. */
function labelsIn({ labels }: Record<string, unknown>): string[] | undefined {
  return Array.isArray(labels) ? labelsOf({ labels: labels.map(String) }) : undefined
}

const times = told(list(string), NEXT, (ahead: SeriesAhead) => timesOf(ahead))

/** The series that a send made, beside its first occurrence. */
export const madeSeries = answer<SeriesAhead>()('MadeSeries', 'The series that the request made.', {
  ...within(({ series }: SeriesAhead) => series, {
    id: told(integer, ID),
    state: told(oneOf(SERIES_STATES), STATE),
  }),
  next: times,
})

const occurrence = answer<ShownOccurrence>()('SeriesOccurrence', 'One time of a series.', {
  local: told(string, LOCAL),
  state: told(
    oneOf(['planned', 'called-off', 'unreached']),
    '`planned`: it was or will be sent; `called-off` before it began, because the series was paused, changed or ended; `unreached`: nobody who is named could be reached.',
    'planned',
  ),
  notificationId: told(nullable(integer), NOTIFICATION),
  messageId: told(nullable(integer), MESSAGE),
  status: told(nullable(integer), 'State of the notification or message, as its report has it; null without one.', 3),
})

const members = {
  ...within(({ series }: SeriesAhead) => series, {
    id: told(integer, ID),
    appId: told(integer, APP_ID),
    kind: told(oneOf(SERIES_KINDS), 'What is sent: a push, or an in-app message.', 'push'),
    state: told(oneOf(SERIES_STATES), STATE),
    why: told(
      nullable(string),
      'Why it ended or is broken; null while it goes on.',
      'its template "bread" was deleted',
    ),
  }),
  title: told(string, 'The title of the push, or the first words of the in-app message as they are written.', 'Hello'),
  schedule: told(
    free,
    'The rule by which it repeats.',
    { strategy: 'recurring', cron: '0 9 * * MON', timezone: 'Europe/Berlin' },
    ({ series }: SeriesAhead) => (series.request.schedule ?? {}) as Record<string, unknown>,
  ),
  next: times,
  ...within(({ series }: SeriesAhead) => series, {
    planned: told(
      nullable(string),
      'The last time that was planned, as the clock of the series shows it.',
      '2026-03-02 09:00',
    ),
    sent: told(count, 'Times for which something was made, without those that were called off.', 4),
    missed: told(count, 'Times left out because nothing ran for longer than `schedule.maxLateness` after them.', 0),
    labels: optional(told(list(string), LABELS, ({ request }: Series) => labelsIn(request))),
    unreached: told(count, 'Times at which nobody could be reached.', 0),
    createdAt: told(time, CREATED_AT),
    updatedAt: told(time, UPDATED_AT),
    endedAt: told(nullable(time), 'When it ended; null while it has not.', '2026-03-30T08:00:00+0000'),
  }),
}
const series = answer<SeriesAhead>()('Series', 'A send that repeats.', members)
export const presentSeries = series.present
export const seriesPage = pageOf('series', 'One page of series.', 'The series of this page.', series)

/** A series with its request and its last occurrences. */
export const seriesReport = answer<SeriesReport>()('SeriesReport', 'A send that repeats, and its last times.', {
  ...members,
  request: told(
    free,
    'The body of the send.',
    { target: { broadcast: true } },
    ({ series }: SeriesReport) => series.request,
  ),
  occurrences: told(list(occurrence), 'Its last ten times, newest first. Each has a report of its own.'),
})
export const presentSeriesReport = seriesReport.present

/** Member of a notification and of an in-app message. */
export const SERIES_ID = optional(
  told(
    integer,
    'The series of which it is an occurrence; absent for every other one.',
    3,
    ({ seriesId }: { seriesId: number | null }) => seriesId ?? undefined,
  ),
)
