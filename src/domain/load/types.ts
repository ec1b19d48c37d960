/** Requests that were answered. */
export interface RequestTotals {
  /** With a server key. */
  serverCalls: number
  /** With a device key. */
  deviceCalls: number
  /** Answers of 500 and above to anybody. */
  errors: number
}

/** Counts: reports of several processes, and of several minutes, are added up. */
export interface LoadCounts extends RequestTotals {
  /** Recipients whom a gateway accepted. */
  accepted: number
  /** Recipients whom a gateway refused for good. */
  failed: number
  /** Processor time that was used (ms). */
  cpuMs: number
  /** Processor time that there was (ms): all processors for the whole time. */
  cpuRoomMs: number
}

/** Sizes at one instant: of several reports the worst is kept. */
export interface LoadSizes {
  /** The time for which the oldest recipient had been due (ms). */
  queueMs: number
  /** Memory of the process. */
  memoryBytes: number
  databaseBytes: number
  /** Free space for the database; null where it is unknown, as on PostgreSQL. */
  diskFreeBytes: number | null
}

/** Load of a span of time; `at` is its begin (ms). */
export interface LoadPoint extends LoadCounts, LoadSizes {
  at: number
}

/** Periods for which the load can be asked: how far they go back, and the span of each point (ms). */
export const LOAD_PERIODS = {
  hour: { back: 3_600_000, span: 60_000 },
  day: { back: 86_400_000, span: 900_000 },
  week: { back: 7 * 86_400_000, span: 7_200_000 },
  month: { back: 30 * 86_400_000, span: 21_600_000 },
} as const

export type LoadPeriod = keyof typeof LOAD_PERIODS

/** The load of a period. */
export interface LoadCourse {
  /** Begin of the first span, and end of the last one (ms). */
  from: number
  to: number
  /** Length of each span (ms). */
  span: number
  /** Spans of which something is known, oldest first. */
  points: LoadPoint[]
}
