/**
 * Writes files as the program sends them, each also compressed, into a folder beside it: the console, and the browser client. The same
 * sources give the same bytes.
 */
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { buildConsole } from '../src/server/console/build.ts'
import { INDEX } from '../src/server/console/files.ts'
import { AS_IS, compressWell } from '../src/server/http/built-files.ts'
import { ENCODINGS } from '../src/server/http/compressed.ts'
import { buildSdk } from '../src/server/sdk/build.ts'

/** Compresses a file in every encoding that makes it smaller. */
export type Compress = typeof compressWell

/** Builds the console (`src/console`) into a folder, which is made. */
export async function writeConsole(folder: string, compress: Compress = compressWell): Promise<void> {
  const { index, files } = await buildConsole({ withGallery: false })
  writeFiles(folder, [{ name: INDEX, bytes: Buffer.from(index) }, ...files], compress)
}

/** Builds the browser client (`clients/web`) into a folder, which is made. */
export async function writeSdk(folder: string, compress: Compress = compressWell): Promise<void> {
  writeFiles(folder, await buildSdk(), compress)
}

function writeFiles(folder: string, files: readonly { name: string; bytes: Uint8Array }[], compress: Compress): void {
  mkdirSync(folder, { recursive: true })
  for (const { name, bytes } of files) {
    writeFileSync(join(folder, name + AS_IS), bytes)
    const compressed = compress(bytes)
    for (const { name: encoding, suffix } of ENCODINGS) {
      const form = compressed[encoding]
      if (form) writeFileSync(join(folder, name + suffix), form)
    }
  }
}
