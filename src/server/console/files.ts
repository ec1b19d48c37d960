import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { AppError, messageOf } from '../../platform/errors.ts'
import { assetPath } from '../../platform/files/assets.ts'
import { AS_IS, readBuiltFiles, typeOf } from '../http/built-files.ts'
import { compressedText, type ServedFile } from '../http/compressed.ts'

/** The page of the console and its files by name. */
export interface ConsoleFiles {
  index: ServedFile
  byName: ReadonlyMap<string, ServedFile>
}

/** The page's name in `dist/console`. */
export const INDEX = 'index.html'

let kept: { files: Promise<ConsoleFiles>; changed: number } | undefined

/**
 * The console: the files that `npm run build` put beside the program, or from the sources files that are built at first request
 * and after a change. Throws `unavailable` with the problem when the sources cannot be built.
 */
export async function consoleFiles(): Promise<ConsoleFiles> {
  const folder = assetPath('console')
  if (existsSync(join(folder, INDEX + AS_IS))) return (kept ??= { files: readBuilt(folder), changed: 0 }).files
  const { newestChange, buildConsole } = await import('./build.ts')
  const changed = newestChange()
  if (kept?.changed !== changed) {
    const files = buildConsole().then(
      async ({ index, files }) => {
        const named = files.map(
          async ({ name, bytes }) => [name, await compressedText(typeOf(name), text(bytes))] as const,
        )
        return { index: await compressedText(typeOf(INDEX), index), byName: new Map(await Promise.all(named)) }
      },
      (error: unknown) => {
        throw new AppError('unavailable', `the console cannot be built from src/console: ${messageOf(error)}`)
      },
    )
    files.catch(() => {})
    kept = { files, changed }
  }
  return kept.files
}

/** The text of a file: esbuild makes nothing else. */
const text = (bytes: Uint8Array): string => Buffer.from(bytes).toString()

async function readBuilt(folder: string): Promise<ConsoleFiles> {
  const byName = await readBuiltFiles(folder)
  const index = byName.get(INDEX)!
  byName.delete(INDEX)
  return { index, byName }
}
