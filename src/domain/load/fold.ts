import type { LoadPoint } from './types.ts'

/** Adds a later point to an earlier one, as the database does with reports of the same minute. */
function added(one: LoadPoint, other: LoadPoint): LoadPoint {
  const free = [one.diskFreeBytes, other.diskFreeBytes].filter((bytes) => bytes !== null)
  return {
    at: one.at,
    serverCalls: one.serverCalls + other.serverCalls,
    deviceCalls: one.deviceCalls + other.deviceCalls,
    errors: one.errors + other.errors,
    accepted: one.accepted + other.accepted,
    failed: one.failed + other.failed,
    cpuMs: one.cpuMs + other.cpuMs,
    cpuRoomMs: one.cpuRoomMs + other.cpuRoomMs,
    queueMs: Math.max(one.queueMs, other.queueMs),
    memoryBytes: Math.max(one.memoryBytes, other.memoryBytes),
    databaseBytes: Math.max(one.databaseBytes, other.databaseBytes),
    diskFreeBytes: free.length === 0 ? null : Math.min(...free),
  }
}

/** Folds points, oldest first, into spans of `span` ms, which begin at multiples of it. */
export function fold(points: readonly LoadPoint[], span: number): LoadPoint[] {
  const folded: LoadPoint[] = []
  for (const point of points) {
    const at = point.at - (point.at % span)
    const last = folded.at(-1)
    if (last?.at === at) folded[folded.length - 1] = added(last, point)
    else folded.push({ ...point, at })
  }
  return folded
}
