/**
 * Compiles a program of the bundle in advance: `node --random-seed=1 packaging/programs/compile.ts FILE COMPILED`. It is a process of its own,
 * because V8 compiles the same text to the same bytes only when it was started with a seed.
 */
import { execFileSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { Script } from 'node:vm'
import { YOUNG_FLAG } from '../../src/platform/threads/heaps.ts'
import { checksumOf } from './checksum.ts'
import { compiledName, textName } from './names.ts'

/** Makes a function of the file `<name>.cjs` in `dist`, and compiles it for load.ts. */
export function compileProgram(dist: string, name: string): void {
  const file = join(dist, textName(name))
  writeFileSync(
    file,
    `(function (exports, require, module, __filename, __dirname) {${readFileSync(file, 'latin1')}\n})`,
  )
  const argv = ['--random-seed=1', YOUNG_FLAG, import.meta.filename, file, join(dist, compiledName(name))]
  execFileSync(process.execPath, argv, { env: {}, stdio: ['ignore', 'inherit', 'inherit'] })
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const text = readFileSync(process.argv[2]!)
  const compiled = new Script(text.toString('latin1'), { filename: 'program.cjs' }).createCachedData()
  writeFileSync(process.argv[3]!, Buffer.concat([compiled, checksumOf(text, compiled)]))
}
