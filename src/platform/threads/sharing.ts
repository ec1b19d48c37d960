import type { ConnectionCounts } from '../net/sockets.ts'
import { newTableCell, type SharedTable, sharedTable, type TableShape } from './shared-table.ts'

/** The memory that the HTTP threads of a process share, and the place of this thread among them. */
export interface SharingCells {
  /** The number of the thread, from 0, which is the main thread. */
  thread: number
  threads: number
  /** Times of callers, for limits of what one of them may send. */
  callers: SharedArrayBuffer
  /** Open connections, of all and of each peer. */
  connections: SharedArrayBuffer
  maxConnections: number
}

/** The state that HTTP threads share. Undefined in a process with one. */
export interface Sharing {
  threads: number
  callers: SharedTable
  connections: SharedTable
  /** The column of `connections` that this thread counts in. */
  thread: number
}

/** Callers that are remembered, and how many remain after a clean-up: of all limits together. */
export const MAX_CALLERS = 60_000
export const CALLERS_LEFT = 45_000

const CALLERS: TableShape = { most: 2 * MAX_CALLERS, columns: 1 }
/** Each connection has at most one peer, and one row counts them all. */
const connectionsOf = ({ threads, maxConnections }: Pick<SharingCells, 'threads' | 'maxConnections'>): TableShape => ({
  most: maxConnections + 1,
  columns: threads,
})

/** The cells for that number of HTTP threads. */
export function newSharingCells(of: Pick<SharingCells, 'threads' | 'maxConnections'>): SharingCells {
  return { ...of, thread: 0, callers: newTableCell(CALLERS), connections: newTableCell(connectionsOf(of)) }
}

export function openSharing(cells: SharingCells): Sharing {
  return {
    threads: cells.threads,
    thread: cells.thread,
    callers: sharedTable(cells.callers, CALLERS),
    connections: sharedTable(cells.connections, connectionsOf(cells)),
  }
}

/** Counts the connections of all threads together. */
export function sharedConnections({ connections, thread, threads }: Sharing): ConnectionCounts {
  return {
    enter: (peer, most) =>
      connections.locked((rows) => {
        const row = rows.make(peer)
        let open = 0
        for (let column = 0; column < threads; column++) open += rows.get(row, column)
        if (open >= most) return false
        rows.set(row, thread, rows.get(row, thread) + 1)
        return true
      }),
    leave: (peer) =>
      connections.locked((rows) => {
        const row = rows.find(peer)
        if (row < 0) return
        rows.set(row, thread, Math.max(0, rows.get(row, thread) - 1))
        for (let column = 0; column < threads; column++) if (rows.get(row, column) > 0) return
        rows.remove(row)
      }),
  }
}

/** Forgets the connections of a thread that has ended. */
export function forgetConnections({ connections, threads }: Sharing, thread: number): void {
  connections.locked((rows) =>
    rows.sift((row) => {
      rows.set(row, thread, 0)
      for (let column = 0; column < threads; column++) if (rows.get(row, column) > 0) return true
      return false
    }),
  )
}
