import { readdirSync, readFileSync } from 'node:fs'

/** How many files and sockets this process may still open, and how many in all. */
export interface OpenFiles {
  spare: number
  limit: number
}

/** Undefined where the system does not tell. */
export function openFiles(): OpenFiles | undefined {
  try {
    const limit = Number(/^Max open files\s+(\d+)/m.exec(readFileSync('/proc/self/limits', 'latin1'))?.[1])
    if (!Number.isFinite(limit)) return undefined
    return { spare: limit - readdirSync('/proc/self/fd').length, limit }
  } catch {
    return undefined
  }
}
