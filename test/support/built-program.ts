/**
 * The program as tests start it in processes of its own. A start from the sources costs two to three CPU seconds, because every thread
 * strips the types of some hundred files again; from the bundle, which is compiled in advance, it costs a quarter of that. So the first test of a
 * run that starts a program builds the bundle into the directory of the run. Where the sources are the point, name SOURCES.
 */
import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, rmdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** `appsvc` from the sources, as `npm start` has it. */
export const SOURCES = join(import.meta.dirname, '../../bin/run.js')

let known: string | undefined

/** The file that Node runs: the bundle of this run; outside of a run of tests, as in a bench, the sources. Blocks while it is built. Throws when that fails. */
export function builtProgram(): string {
  return (known ??= process.env.MOCHA_SUPERVISED === undefined ? SOURCES : ofRun())
}

function ofRun(): string {
  // run.ts gives every process of a run the same one.
  const folder = join(process.env.TMPDIR!, 'program')
  const ready = join(folder, 'ready')
  mkdirSync(folder, { recursive: true })
  while (!existsSync(ready)) {
    if (!lock(folder)) {
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 50)
      continue
    }
    try {
      if (existsSync(ready)) break
      execFileSync(process.execPath, [join(import.meta.dirname, 'build-program.ts'), folder], {
        stdio: ['ignore', 'inherit', 'inherit'],
      })
      writeFileSync(ready, '')
    } finally {
      rmdirSync(join(folder, 'building'))
    }
  }
  return join(folder, 'dist/appsvc.cjs')
}

/** Tells whether it is on us to build. */
function lock(folder: string): boolean {
  try {
    mkdirSync(join(folder, 'building'))
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false
    throw error
  }
}
