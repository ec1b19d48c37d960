import { Readable, Writable } from 'node:stream'
import type { Config } from '@oclif/core'
import type { Io } from '../process/io.ts'

/** A command of this program. */
export interface Runnable {
  run(argv: string[], config: Config): Promise<unknown>
}

/**
 * Runs a command in this process with `input` as its standard input. Returns what it prints with `--json`; standard
 * error is dropped.
 */
export async function runPiped(
  { config, io }: { config: Config; io: Io },
  command: Runnable,
  argv: string[],
  input = '',
): Promise<unknown> {
  let output = ''
  const stdout = new Writable({
    write(chunk, _encoding, done) {
      output += String(chunk)
      done()
    },
  })
  const stderr = new Writable({ write: (_chunk, _encoding, done) => done() })
  const piped: Io = { ...io, stdin: Readable.from([Buffer.from(`${input}\n`)]), stdout, stderr }
  const withIo = Object.assign(Object.create(config) as Config, { options: { ...config.options, io: piped } })
  await command.run(['--json', ...argv], withIo)
  return JSON.parse(output)
}
