import { type ChildProcess, type SpawnOptions, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { Readable, Writable } from 'node:stream'
import { runCommandLine } from '../../src/cli/run.ts'
import { builtProgram, SOURCES } from '../support/built-program.ts'
import { removeTree } from '../support/remove.ts'

export interface Ran {
  code: number
  stdout: string
  stderr: string
  /** The one JSON value on standard output, as the test expects it. Throws when there is not exactly one. */
  // oxlint-disable-next-line typescript/no-unnecessary-type-parameters
  json<T = Record<string, unknown>>(): T
  /** The JSON lines on standard output. */
  lines<T = Record<string, unknown>>(): T[]
}

export interface RunOptions {
  stdin?: string | Buffer | Readable
  /** Nothing of the real environment gets in. */
  environment?: Record<string, string>
  /** Pretends that standard output and error are a terminal. */
  tty?: boolean
}

/** A command line in this process, with streams of its own. */
export async function run(
  argv: string[],
  { stdin = '', environment = {}, tty = false }: RunOptions = {},
): Promise<Ran> {
  const stdout = capture(tty)
  const stderr = capture(tty)
  const input = stdin instanceof Readable ? stdin : Readable.from(stdin.length > 0 ? [Buffer.from(stdin)] : [])
  const code = await runCommandLine(argv, { stdin: input, stdout: stdout.stream, stderr: stderr.stream, environment })
  return {
    code,
    stdout: stdout.text(),
    stderr: stderr.text(),
    json: () => JSON.parse(stdout.text()),
    lines: () =>
      stdout
        .text()
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line)),
  }
}

/** A stream that keeps what is written to it. */
export function capture(tty: boolean) {
  const chunks: Buffer[] = []
  const stream = new Writable({
    write(chunk, _encoding, done) {
      chunks.push(Buffer.from(chunk))
      done()
    },
  })
  return { stream: Object.assign(stream, { isTTY: tty, columns: 100 }), text: () => Buffer.concat(chunks).toString() }
}

/** A directory of its own for each test file; `end` deletes it, after `killAll`. */
export function temporaryDirectory(): { dir: string; end(): void } {
  const dir = mkdtempSync(join(tmpdir(), 'appsvc-cli-'))
  return { dir, end: () => removeTree(dir) }
}

export const ROOT = join(import.meta.dirname, '../..')

const children = new Set<ChildProcess>()

export interface StartOptions extends SpawnOptions {
  node?: string
  /** `bin/run.js` instead of the bundle. */
  fromSources?: boolean
}

/** `appsvc` as a process of its own, without any settings of ours. */
export function start(
  argv: string[],
  { node = process.execPath, fromSources = false, env = withoutSettings(), ...options }: StartOptions = {},
): ChildProcess {
  const child = spawn(node, [fromSources ? SOURCES : builtProgram(), ...argv], {
    stdio: ['pipe', 'pipe', 'pipe'],
    env,
    ...options,
  })
  children.add(child)
  child.once('exit', () => children.delete(child))
  return child
}

function withoutSettings(): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^(APPSVC_|NODE_OPTIONS$)/.test(name)))
}

/** Kills what a failed test left running. */
export function killAll(): void {
  for (const child of children) child.kill('SIGKILL')
}

/** Waits for the end of a process; returns how it ended and what it wrote. Call at once after `start`. */
export async function ended(
  child: ChildProcess,
): Promise<{ code: number | null; signal: string | null; stdout: string; stderr: string }> {
  let stdout = ''
  let stderr = ''
  child.stdout?.on('data', (chunk) => (stdout += chunk))
  child.stderr?.on('data', (chunk) => (stderr += chunk))
  const [code, signal] = (await once(child, 'close')) as [number | null, string | null]
  return { code, signal, stdout, stderr }
}

/** The first JSON line that a process writes. Rejects with what it said when it ends before. */
export async function firstLine<T = Record<string, unknown>>(child: ChildProcess): Promise<T> {
  let errors = ''
  child.stderr?.on('data', (chunk) => (errors += chunk))
  for await (const line of createInterface({ input: child.stdout! })) {
    if (line.startsWith('{')) return JSON.parse(line) as T
  }
  throw new Error(`it ended without a line of JSON: ${errors}`)
}
