import { instantFrom } from '../../parts/zones.ts'

/** The load of one span, as the interface tells it. */
export interface Point {
  at: string
  serverCalls: number
  deviceCalls: number
  errors: number
  accepted: number
  failed: number
  queueSeconds: number
  processorShare: number
  memoryBytes: number
  databaseBytes: number
  diskFreeBytes: number | null
}

/** The load of a period, as the interface tells it. */
export interface Course {
  from: string
  to: string
  spanSeconds: number
  points: readonly Point[]
}

/** Periods of the charts that people choose from. */
export const LOAD_PERIODS = [
  { value: 'hour', label: 'Last hour' },
  { value: 'day', label: 'Last day' },
  { value: 'week', label: 'Last week' },
  { value: 'month', label: 'Last month' },
] as const

export type LoadPeriod = (typeof LOAD_PERIODS)[number]['value']

/** The period that an address names; a day where it names none that there is. */
export const loadPeriodOf = (given: string | null): LoadPeriod =>
  LOAD_PERIODS.find(({ value }) => value === given)?.value ?? 'day'

/** The points of every span of a period, oldest first: undefined where nothing is known. */
export function spansOf({ from, to, spanSeconds, points }: Course): { at: number; point: Point | undefined }[] {
  const known = new Map(points.map((point) => [instantFrom(point.at).getTime(), point]))
  const spans = []
  const end = instantFrom(to).getTime()
  for (let at = instantFrom(from).getTime(); at < end; at += spanSeconds * 1000)
    spans.push({ at, point: known.get(at) })
  return spans
}

/** Texts of the axis: the time of day, with the day where a period is longer than one. */
export function labelsOf(instants: readonly number[], period: LoadPeriod): string[] {
  const time: Intl.DateTimeFormatOptions = { hour: 'numeric', minute: '2-digit' }
  const words = new Intl.DateTimeFormat(
    undefined,
    period === 'week'
      ? { weekday: 'short', ...time }
      : period === 'month'
        ? { day: 'numeric', month: 'short', hour: 'numeric' }
        : time,
  )
  return instants.map((at) => words.format(at))
}

/** A count of a span as a rate: how many a minute, with one decimal below ten. */
export function perMinute(count: number, spanSeconds: number): number {
  const rate = count / (spanSeconds / 60)
  return rate < 10 ? Math.round(rate * 10) / 10 : Math.round(rate)
}

/** A duration in seconds, as charts write it: `0`, `45 s`, `12 min`, `3 h`. */
export function shortSeconds(seconds: number): string {
  if (seconds === 0) return '0'
  if (seconds < 1) return `${Math.round(seconds * 10) / 10} s`
  if (seconds < 120) return `${Math.round(seconds)} s`
  if (seconds < 7200) return `${Math.round(seconds / 60)} min`
  return `${Math.round(seconds / 3600)} h`
}
