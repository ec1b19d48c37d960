import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import http, { type IncomingMessage } from 'node:http'
import https from 'node:https'
import { createInterface } from 'node:readline'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { rootCertificates } from 'node:tls'
import packageJson from '../../../package.json' with { type: 'json' }
import { AppError, type ErrorCode, messageOf } from '../../platform/errors.ts'
import { isPlainObject, parseJsonBytes } from '../../platform/json/json.ts'
import { COMMAND_TYPE, type CommandEvent, type CommandRequest } from '../../server/admin/command-request.ts'
import { unreadable } from '../input/files.ts'
import { createOutput } from '../output/output.ts'
import { catchInterruption, Interrupted } from '../process/interruption.ts'
import type { Io } from '../process/io.ts'
import { type CallerFiles, callerFiles } from './caller-files.ts'
import { PLACES } from './rights.ts'
import type { Target } from './target.ts'

/** The time (ms) of silence after which the server counts as gone: it says something at least every 15 s. */
const SILENCE_MS = 60_000
/** Environment variables that change the output. */
const VARIABLES = ['NO_COLOR', 'TERM', 'npm_command'] as const

/** The server's last event of a run. */
type End = Extract<CommandEvent, { want: unknown } | { exit: unknown }>

/**
 * Runs a command on a server, as if it ran here: its output, its questions, its files and its exit code. Ctrl-C stops it there. Throws
 * `unauthorized`, `unavailable` and any other error that keeps it from running; errors of the command itself are printed already.
 */
export async function runThere(target: Target, words: string[], io: Io, id: string): Promise<number> {
  const files = callerFiles(words, io)
  const answers: string[] = []
  const interruption = catchInterruption(io)
  try {
    for (;;) {
      const end = await attempt(target, { words, files, answers, io }, interruption.arrived)
      if (!('want' in end)) return end.exit
      if ('file' in end.want) {
        if (end.want.file === '-' && io.stdin.isTTY === true && !io.quiet) {
          io.stderr.write('Reading from the terminal; press Ctrl-D to end.\n')
        }
        await Promise.race([files.offer(end.want.file), interruption.arrived])
      } else if ('output' in end.want) await files.prepare(end.want.output, end.want.mode)
      else answers.push((await createOutput(io, { json: false, color: true }).ask(end.want.answer)) ?? '')
    }
  } catch (error) {
    if (error instanceof Interrupted && follows(id, words)) return 0
    throw error
  } finally {
    interruption.end()
    await files.close()
  }
}

/** Tells whether the command runs until Ctrl-C. */
function follows(id: string, words: readonly string[]): boolean {
  const place = PLACES[id]
  return typeof place === 'object' && place.follows === true && words.some((word) => /^(--follow|-\w*f)$/.test(word))
}

interface Run {
  words: readonly string[]
  files: CallerFiles
  answers: readonly string[]
  io: Io
}

/** Sends the command once, and prints what it prints. */
async function attempt(target: Target, run: Run, interrupted: Promise<never>): Promise<End> {
  const stop = new AbortController()
  try {
    const answer = send(target, run, stop.signal).then((response) => hear(target, run, response))
    return await Promise.race([answer, interrupted])
  } finally {
    stop.abort()
  }
}

function send(target: Target, { words, files, answers, io }: Run, signal: AbortSignal): Promise<IncomingMessage> {
  const { columns } = io.stdout.columns === undefined ? io.stderr : io.stdout
  const head = {
    version: packageJson.version,
    words,
    terminal: {
      stdin: io.stdin.isTTY === true,
      stdout: io.stdout.isTTY === true,
      stderr: io.stderr.isTTY === true,
      ...(columns !== undefined && { columns }),
    },
    variables: Object.fromEntries(
      VARIABLES.flatMap((name) => (io.environment[name] === undefined ? [] : [[name, io.environment[name]]])),
    ),
    ...files.described(),
    answers,
  } satisfies Record<keyof CommandRequest, unknown>
  const boundary = `appsvc-${randomBytes(16).toString('hex')}`
  const before = Buffer.from(
    `--${boundary}\r\nContent-Disposition: form-data; name="command"; filename="command"\r\n` +
      `Content-Type: ${COMMAND_TYPE}\r\n\r\n${JSON.stringify(head)}\n`,
  )
  const behind = Buffer.from(`\r\n--${boundary}--\r\n`)
  async function* body() {
    yield before
    yield* files.content()
    yield behind
  }
  return new Promise((resolve, reject) => {
    const request = requestOf(target, 'POST', '/admin/v1/commands', {
      'content-type': `multipart/form-data; boundary=${boundary}`,
      'content-length': before.length + files.size() + behind.length,
      accept: 'application/x-ndjson',
    })
    const fail = (error: unknown) => reject(unreachable(target, error))
    signal.addEventListener('abort', () => request.destroy())
    request.once('response', resolve)
    request.on('error', fail)
    // The server may answer before it has read everything; then its answer counts.
    pipeline(Readable.from(body(), { objectMode: false }), request).catch(fail)
  })
}

/** A request to the server, not yet sent. Throws `not_found` for a file of `--ca` that cannot be read. */
export function requestOf(
  { url, token, ca }: Target,
  method: string,
  path: string,
  headers: Record<string, string | number> = {},
): http.ClientRequest {
  const to = `${url}${path}`
  if (!/^[!-~]+$/.test(token)) {
    throw new AppError('usage', 'the token must be one word, as the console showed it: appsvc_pt_…')
  }
  const options = { method, headers: { ...headers, authorization: `Bearer ${token}` }, timeout: SILENCE_MS }
  const request = to.startsWith('https:')
    ? https.request(to, { ...options, ...(ca !== undefined && { ca: [...rootCertificates, readAuthorities(ca)] }) })
    : http.request(to, options)
  request.on('timeout', () => request.destroy(new Error(`it says nothing for ${SILENCE_MS / 1000} s`)))
  return request
}

function readAuthorities(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    throw unreadable(error, file, '--ca: ')
  }
}

/** Prints the server's events until one tells how the run ended. */
async function hear(target: Target, run: Run, response: IncomingMessage): Promise<End> {
  if (response.statusCode !== 200) throw await refusalOf(target, response)
  const { io, files, answers } = run
  // The reader of the output is gone (`| head`): so is the command.
  let isClosed = false
  io.stdout.on('error', () => (isClosed = true))
  let version = packageJson.version
  // What an earlier run has printed already.
  let isRepeating = answers.length > 0
  const print = async (stream: Io['stdout'], piece: string | Buffer) => {
    if (!isRepeating && !stream.write(piece)) await Promise.race([once(stream, 'drain'), once(stream, 'close')])
  }
  try {
    for await (const event of eventsOf(response)) {
      if (isClosed) return { exit: 0 }
      if ('out' in event) await print(io.stdout, event.out)
      else if ('outBytes' in event) await print(io.stdout, Buffer.from(event.outBytes, 'base64'))
      else if ('err' in event) await print(io.stderr, event.err)
      else if ('hello' in event) version = event.hello.version
      else if ('answered' in event) isRepeating &&= event.answered < answers.length - 1
      else if ('open' in event || 'put' in event || 'close' in event) await files.take(event)
      else if ('exit' in event) {
        if (event.exit === 64) noteVersion(run, version)
        return event
      } else if ('want' in event) return event
    }
  } catch (error) {
    if (error instanceof Interrupted || error instanceof AppError) throw error
    throw brokenOff(target, messageOf(error))
  }
  throw brokenOff(target, 'the connection was closed')
}

async function* eventsOf(response: IncomingMessage): AsyncGenerator<CommandEvent> {
  const lines = createInterface({ input: response, crlfDelay: Number.POSITIVE_INFINITY })
  // The interface does not hear of errors of its input.
  const failed = new Promise<never>((_, reject) => response.once('error', reject))
  failed.catch(() => {})
  const iterator = lines[Symbol.asyncIterator]()
  for (;;) {
    const { value, done } = await Promise.race([iterator.next(), failed])
    if (done) return
    if (value !== '') yield JSON.parse(value) as CommandEvent
  }
}

/** Remarks on a server of another version: a flag that one of the programs does not know would be a mystery. */
function noteVersion({ io }: Run, version: string): void {
  if (version === packageJson.version || io.quiet) return
  io.stderr.write(`The server runs appsvc ${version}, and this is ${packageJson.version}.\n`)
}

function brokenOff({ url }: Target, why: string): AppError {
  return new AppError(
    'unavailable',
    `${url} broke off (${why}): it is unknown how far the command came; look before you repeat it`,
  )
}

/** The reason in our words where those of OpenSSL and Node lead astray. Pure. */
function reasonOf(code: string | undefined, message: string): string {
  if (code === 'EPROTO') return 'it speaks no TLS there; http:// is for this machine only'
  if (code !== undefined && /SELF_SIGNED/.test(code))
    return 'its certificate is self-signed; --ca FILE names it, if you know that it is the right one'
  const isTls = code !== undefined && /CERT|SSL|TLS|UNABLE_TO/.test(code)
  return `${message || code || 'no reason given'}${isTls ? ' (--ca FILE names authorities)' : ''}`
}

/** The error for a request that got no answer. */
export function unreachable({ url }: Target, error: unknown): unknown {
  if (error instanceof AppError) return error
  const { code } = error as NodeJS.ErrnoException
  return new AppError('unavailable', `${url} cannot be reached: ${reasonOf(code, messageOf(error))}`)
}

const CODES: Record<number, ErrorCode | undefined> = {
  400: 'bad_request',
  403: 'forbidden',
  413: 'too_large',
  422: 'invalid',
  429: 'too_many',
  503: 'unavailable',
}

/** The error for an answer other than 200. */
export async function refusalOf({ url }: Target, response: IncomingMessage): Promise<AppError> {
  const status = response.statusCode ?? 0
  const body = await sentenceOf(response)
  if (status === 401) {
    return new AppError('unauthorized', `${url} refuses the token: run appsvc login ${url} again`)
  }
  const code = CODES[status]
  if (code && body !== undefined) return new AppError(code, `${url} refuses: ${body}`)
  if (status === 404 && body !== undefined) {
    return new AppError(
      'unavailable',
      `${url} runs no commands (${body}): an older appsvc, or console.enabled is false`,
    )
  }
  return new AppError('unavailable', `${url} is not an appsvc server (it answers ${status}): check --url`)
}

const LONGEST_REFUSAL = 65_536

async function sentenceOf(response: IncomingMessage): Promise<string | undefined> {
  try {
    const chunks: Buffer[] = []
    let size = 0
    for await (const chunk of response as AsyncIterable<Buffer>) {
      size += chunk.length
      if (size > LONGEST_REFUSAL) return undefined
      chunks.push(chunk)
    }
    const value = parseJsonBytes(Buffer.concat(chunks))
    if (!isPlainObject(value) || typeof value.error !== 'string') return undefined
    const fields = isPlainObject(value.errors) ? Object.entries(value.errors) : []
    return [value.error, ...fields.map(([key, texts]) => `${key} ${String(texts)}`)].join('; ')
  } catch {
    return undefined
  }
}
