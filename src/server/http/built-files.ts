import { readdir, readFile } from 'node:fs/promises'
import { extname, join } from 'node:path'
import { brotliCompressSync, gzipSync, constants as zlib } from 'node:zlib'
import { ENCODINGS, type ServedFile, servedFile } from './compressed.ts'

/** Files that packaging builds into a folder beside the program, each also compressed, so that the program only sends them. */

const TYPES: Record<string, string> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.map': 'application/json; charset=utf-8',
  '.svg': 'image/svg+xml',
}

/** The content type of a file by its name. */
export const typeOf = (name: string): string => TYPES[extname(name)] ?? 'application/octet-stream'

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

/** The files of a folder by name, as packaging/built-files.ts wrote them. */
export async function readBuiltFiles(folder: string): Promise<Map<string, ServedFile>> {
  const all = new Map<string, Buffer>()
  for (const name of await readdir(folder)) all.set(name, await readFile(join(folder, name)))
  const whole = [...all.keys()].filter((name) => name.endsWith(AS_IS)).map((name) => name.slice(0, -AS_IS.length))
  return new Map(
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
}
