import type { Readable, Writable } from 'node:stream'

/** The streams and the environment of a command. Tests pass their own. */
export interface Io {
  stdin: Readable & { isTTY?: boolean }
  stdout: Writable & { isTTY?: boolean; columns?: number }
  stderr: Writable & { isTTY?: boolean; columns?: number }
  /** No remarks and no progress (`--quiet`). */
  quiet?: boolean
  environment: Readonly<Record<string, string | undefined>>
}

/** Those of this process. Asynchronous, because `--help` must not load the module that reads the environment. */
export async function processIo(): Promise<Io> {
  const { systemEnvironment } = await import('../platform/config.ts')
  return { stdin: process.stdin, stdout: process.stdout, stderr: process.stderr, environment: systemEnvironment() }
}
