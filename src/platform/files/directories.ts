import { mkdirSync, statSync } from 'node:fs'
import { dirname, resolve } from 'node:path'

/**
 * Creates a directory with its parents (mode 0700). Returns the topmost one created, undefined when all existed. Throws the error of the
 * system, ENOTDIR for a file in place of a directory. `recursive` of Node's mkdir never returns below `/proc`, where a directory can
 * be neither found nor created, so nothing else makes directories.
 */
export function makeDirectories(dir: string): string | undefined {
  const missing: string[] = []
  for (let at = resolve(dir); !isDirectory(at); at = dirname(at)) missing.unshift(at)
  for (const one of missing) {
    try {
      mkdirSync(one, { mode: 0o700 })
    } catch (error) {
      // Another process may have been faster.
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST' || !isDirectory(one)) throw error
    }
  }
  return missing[0]
}

/** Throws ENOTDIR for a file, also in place of a parent. */
function isDirectory(path: string): boolean {
  const stat = statSync(path, { throwIfNoEntry: false })
  if (stat !== undefined && !stat.isDirectory()) {
    throw Object.assign(new Error(`${path} is not a directory`), { code: 'ENOTDIR' })
  }
  return stat !== undefined
}
