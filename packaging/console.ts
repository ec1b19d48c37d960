/**
 * Writes the console (`src/console`) as browsers load it, each file also compressed, so that the program only sends them. The same
 * sources give the same bytes.
 */
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { buildConsole } from '../src/server/console/build.ts'
import { AS_IS, compressWell, INDEX } from '../src/server/console/files.ts'
import { ENCODINGS } from '../src/server/http/compressed.ts'

/** Builds the console into a folder, which is made. */
export async function writeConsole(folder: string): Promise<void> {
  const { index, files } = await buildConsole()
  mkdirSync(folder, { recursive: true })
  for (const { name, bytes } of [{ name: INDEX, bytes: Buffer.from(index) }, ...files]) {
    writeFileSync(join(folder, name + AS_IS), bytes)
    const compressed = compressWell(bytes)
    for (const { name: encoding, suffix } of ENCODINGS) {
      const form = compressed[encoding]
      if (form) writeFileSync(join(folder, name + suffix), form)
    }
  }
}
