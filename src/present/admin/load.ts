import { LOAD_PERIODS, type LoadCourse, type LoadPoint } from '../../domain/load/types.ts'
import { answer, count, list, nullable, number, time, told } from '../schema.ts'

const share = (point: LoadPoint) => (point.cpuRoomMs === 0 ? 0 : Math.min(1, point.cpuMs / point.cpuRoomMs))
const tenThousandths = (value: number) => Math.round(value * 10_000) / 10_000

const loadPoint = answer<LoadPoint>()('LoadPoint', 'The load of one span of time, of all processes together.', {
  at: told(time, 'The begin of the span.', '2026-11-23T10:00:00+0000'),
  serverCalls: told(count, 'Calls with a server key that were answered.', 120),
  deviceCalls: told(count, 'Calls of devices that were answered: uploads, registrations and the like.', 4200),
  errors: told(count, 'Answers of 500 and above, to anybody.', 0),
  accepted: told(count, 'Recipients whom a gateway accepted.', 1571),
  failed: told(count, 'Recipients whom a gateway refused for good.', 12),
  queueSeconds: told(
    number,
    'How long the oldest recipient had been due, at the worst.',
    0.4,
    ({ queueMs }: LoadPoint) => queueMs / 1000,
  ),
  processorShare: told(
    number,
    'The share of all processors that the processes used, from 0 to 1.',
    0.07,
    (point: LoadPoint) => tenThousandths(share(point)),
  ),
  memoryBytes: told(count, 'Memory of the largest process, at the most.', 210_000_000),
  databaseBytes: told(count, 'Size of the database, at the most.', 1_048_576_000),
  diskFreeBytes: told(
    nullable(count),
    'Free space for the database, at the least. Null on PostgreSQL, whose disk nobody here sees.',
    50_000_000_000,
  ),
})

export const loadCourse = answer<LoadCourse>()('LoadCourse', 'The load of the server over a period.', {
  from: told(time, 'The begin of the first span.', '2026-11-22T10:15:00+0000'),
  to: told(time, 'The end of the last span, which goes on.', '2026-11-23T10:15:00+0000'),
  spanSeconds: told(count, 'The length of each span.', LOAD_PERIODS.day.span / 1000, ({ span }) => span / 1000),
  points: told(
    list(loadPoint),
    'Spans of which something is known, oldest first. While no server ran there is none.',
    [],
  ),
})
export const presentLoadCourse = loadCourse.present
