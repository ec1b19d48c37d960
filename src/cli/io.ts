import type { Readable, Writable } from 'node:stream'

/** What a command reads and writes. Tests hand in their own. */
export interface Io {
  stdin: Readable & { isTTY?: boolean }
  stdout: Writable & { isTTY?: boolean; columns?: number }
  stderr: Writable & { isTTY?: boolean; columns?: number }
  environment: Readonly<Record<string, string | undefined>>
}

/** The process's own. Asynchronous because `--help` must not wait for what reads the environment. */
export async function processIo(): Promise<Io> {
  const { systemEnvironment } = await import('../platform/config.ts')
  return { stdin: process.stdin, stdout: process.stdout, stderr: process.stderr, environment: systemEnvironment() }
}
