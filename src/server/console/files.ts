import { existsSync } from 'node:fs'
import { readdir, readFile } from 'node:fs/promises'
import { extname, join } from 'node:path'
import { brotliCompressSync, gzipSync, constants as zlib } from 'node:zlib'
import { AppError, messageOf } from '../../platform/errors.ts'
import { assetPath } from '../../platform/files/assets.ts'
import { compressedText, ENCODINGS, type ServedFile, servedFile } from '../http/compressed.ts'

/** The page of the console and its files by name. */
export interface ConsoleFiles {
  index: ServedFile
  byName: ReadonlyMap<string, ServedFile>
}

/** The page's name in `dist/console`. */
export const INDEX = 'index.html'

const TYPES: Record<string, string> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.svg': 'image/svg+xml',
}

/** Compresses as well as it can be done: once for each build. A form that is no smaller is left out. */
export function compressWell(bytes: Uint8Array): ServedFile['compressed'] {
  const br = brotliCompressSync(bytes, { params: { [zlib.BROTLI_PARAM_SIZE_HINT]: bytes.length } })
  const gzip = gzipSync(bytes, { level: 9 })
  return {
    ...(br.length < bytes.length && { br }),
    ...(gzip.length < bytes.length && { gzip }),
  }
}

/** Ends the name of a file as it is beside the program: pkg would read a `.js` file, and warn of the addresses that it imports. */
export const AS_IS = '.as-is'

let kept: { files: Promise<ConsoleFiles>; changed: number } | undefined

/**
 * The console: what `npm run build` put beside the program, or from the sources what is built of them at first request and
 * after a change. Throws `unavailable` with what is wrong when the sources cannot be built.
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

/** All that esbuild makes is text. */
const text = (bytes: Uint8Array): string => Buffer.from(bytes).toString()

const typeOf = (name: string): string => TYPES[extname(name)] ?? 'application/octet-stream'

async function readBuilt(folder: string): Promise<ConsoleFiles> {
  const all = new Map<string, Buffer>()
  for (const name of await readdir(folder)) all.set(name, await readFile(join(folder, name)))
  const whole = [...all.keys()].filter((name) => name.endsWith(AS_IS)).map((name) => name.slice(0, -AS_IS.length))
  const byName = new Map(
    whole.map((name) => {
      const compressed = Object.fromEntries(
        ENCODINGS.flatMap((encoding) => {
          const bytes = all.get(name + encoding.suffix)
          return bytes ? [[encoding.name, bytes]] : []
        }),
      )
      return [name, servedFile(typeOf(name), all.get(name + AS_IS)!, compressed)]
    }),
  )
  const index = byName.get(INDEX)!
  byName.delete(INDEX)
  return { index, byName }
}
