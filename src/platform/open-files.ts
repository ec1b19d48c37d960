import { readdirSync, readFileSync } from 'node:fs'

/** How many more files and sockets this process may open, and the limit. */
export interface OpenFiles {
  spare: number
  limit: number
}

/** Undefined on systems that do not provide it. */
export function openFiles(): OpenFiles | undefined {
  try {
    const limit = Number(/^Max open files\s+(\d+)/m.exec(readFileSync('/proc/self/limits', 'latin1'))?.[1])
    if (!Number.isFinite(limit)) return undefined
    return { spare: limit - readdirSync('/proc/self/fd').length, limit }
  } catch {
    return undefined
  }
}
