import type { LoadPoint } from '../../domain/load/types.ts'
import { sizeOf } from '../../platform/text/size.ts'
import { type Check, type Finding, ok, warning } from './types.ts'

const QUARTER_MS = 15 * 60_000
const DAY_MS = 86_400_000
/** Fewer answers of 500 and above in a quarter of an hour are not reported, whatever their share. */
const FEW_ERRORS = 10
const MANY_ERRORS = 0.02
/** The share of all processors above which work waits for them. */
const BUSY = 0.9
/** A disk that will be full within this time is reported. */
const FULL_WITHIN_DAYS = 7
/** The shortest record from which the growth of a disk is judged (ms). */
const LEAST_RECORD_MS = DAY_MS

/** Errors, processor and growth in what the servers have stored of their load. */
export const loadCheck: Check = {
  name: 'load',
  group: 'machine',
  needs: 'program',
  async run({ storage: { program }, clock }) {
    const [hour, week] = await Promise.all([program.load.course('hour'), program.load.course('week')])
    const mark = program.kernel.disk.look()?.mark
    return judgeLoad({ minutes: hour.points, spans: week.points, mark }, clock.now())
  },
}

/** The load that is known when it is judged. */
interface Known {
  /** Minutes of the last hour, oldest first. */
  minutes: readonly LoadPoint[]
  /** Spans of the last week, oldest first. */
  spans: readonly LoadPoint[]
  /** Free space below which nothing new is accepted; undefined where it is unknown. */
  mark: number | undefined
}

/** Judges what is known of the load; nothing where there is no record. */
export function judgeLoad({ minutes, spans, mark }: Known, now: number): Finding[] {
  const lately = minutes.filter(({ at }) => at >= now - QUARTER_MS)
  if (lately.length === 0) return []
  const findings = [...errorsIn(lately), ...processorIn(lately), ...growthIn(spans, mark)]
  return findings.length > 0 ? findings : [ok('errors, processor and growth of the disk are within their bounds')]
}

const sumOf = (points: readonly LoadPoint[], of: (point: LoadPoint) => number) =>
  points.reduce((sum, point) => sum + of(point), 0)
const percent = (share: number) => `${Math.round(share * 100)} %`

function errorsIn(lately: readonly LoadPoint[]): Finding[] {
  const errors = sumOf(lately, (point) => point.errors)
  const calls = sumOf(lately, ({ serverCalls, deviceCalls }) => serverCalls + deviceCalls)
  if (errors < FEW_ERRORS || errors < calls * MANY_ERRORS) return []
  return [
    warning(
      `${errors} requests of the last quarter of an hour failed on the side of this server`,
      'see the errors in the log: they name the cause',
    ),
  ]
}

function processorIn(lately: readonly LoadPoint[]): Finding[] {
  const room = sumOf(lately, ({ cpuRoomMs }) => cpuRoomMs)
  const share = room === 0 ? 0 : sumOf(lately, ({ cpuMs }) => cpuMs) / room
  // One minute says little.
  if (lately.length < 5 || share < BUSY) return []
  return [
    warning(
      `the server has used ${percent(share)} of the processors for a quarter of an hour`,
      'give the machine more processors, or see docs/performance.md for what costs most',
    ),
  ]
}

function growthIn(spans: readonly LoadPoint[], mark: number | undefined): Finding[] {
  const known = spans.filter(({ diskFreeBytes }) => diskFreeBytes !== null)
  const [first, last] = [known[0], known.at(-1)]
  if (mark === undefined || !first || !last || last.at - first.at < LEAST_RECORD_MS) return []
  const perDay = ((first.diskFreeBytes! - last.diskFreeBytes!) / (last.at - first.at)) * DAY_MS
  const left = last.diskFreeBytes! - mark
  if (perDay <= 0 || left <= 0 || left / perDay > FULL_WITHIN_DAYS) return []
  const days = Math.max(1, Math.round(left / perDay))
  return [
    warning(
      `the disk loses ${sizeOf(perDay)} of free space a day: in ${days === 1 ? 'a day' : `${days} days`} nothing new is accepted`,
      'free some space, or shorten what is kept: events.retentionDays, notifications.retentionDays',
    ),
  ]
}
