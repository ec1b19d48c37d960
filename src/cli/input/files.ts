import { createReadStream } from 'node:fs'
import { resolve } from 'node:path'
import type { Readable } from 'node:stream'
import { AppError, messageOf } from '../../platform/errors.ts'
import { jsonProblem, parseJsonBytes } from '../../platform/json/json.ts'
import { Wanted } from '../process/caller.ts'
import { type Io, pathOf, standardInput } from '../process/io.ts'

/** Limit for credentials, plans and other small files; a larger file is probably the wrong one. */
const LARGEST = 16 * 1024 * 1024

/**
 * The bytes of a file, or of standard input for `-`. `what` names it in errors. Throws `not_found`, `bad_request`, and
 * `too_large` for more than 16 MiB.
 */
export async function readInput(io: Io, file: string, what: string): Promise<Buffer> {
  if (file === '-') return readAll(standardInput(io), `${what}: standard input`)
  try {
    return await readAll(createReadStream(pathOf(io, file)), `${what}: ${file}`)
  } catch (error) {
    const why = unreadable(error, file, `${what}: `)
    throw why instanceof AppError || why instanceof Wanted
      ? why
      : new AppError('bad_request', `${what}: ${messageOf(error)}`)
  }
}

/** The error for a file that cannot be read; unknown errors are returned unchanged. `what` precedes the message. */
export function unreadable(error: unknown, file: string, what = ''): unknown {
  const { code } = error as NodeJS.ErrnoException
  if (code === 'ENOENT') return new AppError('not_found', `${what}there is no file ${file}`)
  if (code === 'EISDIR') return new AppError('bad_request', `${what}${file} is a directory`)
  if (code === 'ENAMETOOLONG') return new AppError('bad_request', `${what}a file cannot have a name this long`)
  if (code === 'EACCES') return new AppError('forbidden', `${what}permission denied: ${file}`)
  return error
}

/**
 * The JSON value in a file, unchecked; `-` is standard input. `what` names it in errors. Throws `not_found` or
 * `bad_request`.
 */
export async function readJsonFile(io: Io, file: string, what: string): Promise<unknown> {
  return parseJsonFlag(await readInput(io, file, what), what)
}

/** The JSON value of a flag or its file, unchecked. Throws `bad_request` naming the flag. */
export async function parseJsonFlag(source: Buffer | string, what: string): Promise<unknown> {
  try {
    return parseJsonBytes(typeof source === 'string' ? Buffer.from(source) : source)
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== 'invalid') throw error
    const why = String(source).trim() === '' ? 'is empty: it must contain one JSON value' : jsonProblem(error)
    throw new AppError('bad_request', `${what} ${why ?? error.message}`)
  }
}

/**
 * A secret from a file or standard input, without the final line break that editors and `echo` add, and without the byte order mark that
 * editors of Windows put before it.
 */
export async function readSecret(io: Io, file: string, what: string): Promise<string> {
  return textOf(await readInput(io, file, what)).replace(/\r?\n$/, '')
}

/** The text of a file in UTF-8, or in UTF-16 when a byte order mark says so (PowerShell writes it), without the mark. */
function textOf(bytes: Buffer): string {
  const mark = bytes.subarray(0, 2).toString('hex')
  return new TextDecoder(mark === 'fffe' ? 'utf-16le' : mark === 'feff' ? 'utf-16be' : 'utf-8').decode(bytes)
}

/**
 * The text of the master key file that `--key-file` names, unchecked, and the file's full path; `-` is standard input. Throws as
 * `readInput`, and `usage` for an empty name.
 */
export async function readKeyText(io: Io, file: string): Promise<{ file: string; text: string }> {
  if (file === '') throw new AppError('usage', '--key-file is empty: name the file with the master key')
  const text = textOf(await readInput(io, file, '--key-file'))
  return { file: file === '-' ? 'standard input' : resolve(file), text }
}

async function readAll(stream: Readable, what: string): Promise<Buffer> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of stream) {
    const bytes = Buffer.from(chunk as Buffer)
    size += bytes.length
    if (size > LARGEST) throw new AppError('too_large', `${what} has more than ${LARGEST} bytes`)
    chunks.push(bytes)
  }
  return Buffer.concat(chunks)
}
