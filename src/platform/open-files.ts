import { readdirSync, readFileSync } from 'node:fs'

/** How many more files and sockets this process may open, and the limit. */
interface OpenFiles {
  spare: number
  limit: number
}

/** Undefined on systems that do not provide it. */
function openFiles(): OpenFiles | undefined {
  try {
    const limit = Number(/^Max open files\s+(\d+)/m.exec(readFileSync('/proc/self/limits', 'latin1'))?.[1])
    if (!Number.isFinite(limit)) return undefined
    return { spare: limit - readdirSync('/proc/self/fd').length, limit }
  } catch {
    return undefined
  }
}

/**
 * Why a thread that opens so many files must not be started; undefined when it may. If it took the last ones, `/readyz`
 * could no longer be asked what is wrong.
 */
export function lackOfFiles(needed: number): string | undefined {
  const files = openFiles()
  if (!files || files.spare >= needed) return undefined
  return `only ${files.spare} of ${files.limit} files can still be opened, and a thread needs ${needed} (ulimit -n)`
}
