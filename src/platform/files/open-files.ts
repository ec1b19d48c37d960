import { openFilesOf } from '../process/proc.ts'

/**
 * The reason why a thread that opens `needed` files must not be started; undefined when it may. If it took the last ones,
 * `/readyz` could no longer be asked what is wrong.
 */
export function lackOfFiles(needed: number): string | undefined {
  const files = openFilesOf('self')
  const spare = files && files.limit - files.open
  if (spare === undefined || spare >= needed) return undefined
  return `only ${spare} of ${files!.limit} files can still be opened, and a thread needs ${needed} (ulimit -n)`
}
