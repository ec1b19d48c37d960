import { createReadStream } from 'node:fs'
import type { Readable, Writable } from 'node:stream'
import type { Caller } from './caller.ts'

/** The streams and the environment of a command. Tests pass their own. */
export interface Io {
  stdin: Readable & { isTTY?: boolean }
  stdout: Writable & { isTTY?: boolean; columns?: number }
  stderr: Writable & { isTTY?: boolean; columns?: number }
  /** No remarks and no progress (`--quiet`). */
  quiet?: boolean
  environment: Readonly<Record<string, string | undefined>>
  /** Caller on another machine, for whom a server runs the command and whose files these are not. */
  caller?: Caller
}

/** The input and output of this process. Asynchronous, because `--help` must not load the module that reads the environment. */
export async function processIo(): Promise<Io> {
  const { systemEnvironment } = await import('../../platform/config/config.ts')
  return { stdin: process.stdin, stdout: process.stdout, stderr: process.stderr, environment: systemEnvironment() }
}

/** The path on this machine of a file that the command line names. Throws as `Caller.pathOf`. */
export function pathOf({ caller }: Io, file: string): string {
  return caller ? caller.pathOf(file) : file
}

/** Standard input, wherever the command line was typed. Throws as `Caller.pathOf`. */
export function standardInput({ stdin, caller }: Io): Readable {
  return caller ? createReadStream(caller.pathOf('-')) : stdin
}

/** Says that the command will open this file late, before it changes anything. Throws as `Caller.expectOutput`. */
export function expectOutput({ caller }: Io, file: string, mode: number): void {
  caller?.expectOutput(file, mode)
}
