import { constants, createReadStream, createWriteStream } from 'node:fs'
import { type FileHandle, mkdtemp, open, rm, stat, unlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { AppError } from '../../platform/errors.ts'
import type { CommandEvent, CommandRequest, FileError } from '../../server/admin/command-request.ts'
import { identityOf } from '../input/source.ts'
import { unwritable } from '../output/file.ts'
import type { Io } from '../process/io.ts'

type FileEvent = Extract<CommandEvent, { open: unknown } | { put: unknown } | { close: unknown }>

interface Output {
  handle: FileHandle
  /** False for a pipe or a device, which has no positions. */
  isFile: boolean
  isNew: boolean
  isUsed: boolean
}

/** The files of this machine that a command on a server reads and writes. */
export interface CallerFiles {
  /** Makes a file ready that the server wants to read. */
  offer(name: string): Promise<void>
  /** Makes a file ready that the server wants to write. */
  prepare(name: string, mode: number): Promise<void>
  /** The description of the files in the request. */
  described(): Pick<CommandRequest, 'files' | 'outputs'>
  /** Bytes of all files that are sent. */
  size(): number
  content(): AsyncGenerator<Buffer>
  /** Does what the server's event asks of a file. Throws as `unwritable` says. */
  take(event: FileEvent): Promise<void>
  close(): Promise<void>
}

/** The files that `words`, the command line, names: no other is read or written, whatever the server asks for. */
export function callerFiles(words: readonly string[], io: Io): CallerFiles {
  const inputs = new Map<string, { path: string; size: number } | { error: FileError }>()
  const outputs = new Map<string, Output | { error: FileError }>()
  let directory: string | undefined

  function refuseForeign(name: string): void {
    const isNamed = words.some(
      (word) => word === name || word.endsWith(`=${name}`) || word.replace(/^-\w/, '') === name,
    )
    if (isNamed || name === '-') return
    throw new AppError('forbidden', `the server asks for the file ${name}, which the command line does not name`)
  }

  /** Keeps a stream in a file until it is sent, because it has no size yet. */
  async function keep(stream: NodeJS.ReadableStream): Promise<{ path: string; size: number }> {
    directory ??= await mkdtemp(join(tmpdir(), 'appsvc-'))
    const path = join(directory, `input-${inputs.size}`)
    await pipeline(stream, createWriteStream(path, { mode: 0o600 }))
    return { path, size: (await stat(path)).size }
  }

  async function find(name: string): Promise<{ path: string; size: number } | { error: FileError }> {
    if (name === '-') return keep(io.stdin)
    try {
      const found = await stat(name)
      if (found.isDirectory()) return { error: 'EISDIR' }
      if (!found.isFile()) return await keep(createReadStream(name))
      await (await open(name)).close()
      return { path: name, size: found.size }
    } catch (error) {
      return { error: codeOf(error) }
    }
  }

  /** Throws `usage` when a file that is read would be written, whatever its name there. */
  async function refuseSame(): Promise<void> {
    const read = new Map<string, string>()
    for (const name of inputs.keys()) read.set((await identityOf(name)) ?? '', name)
    for (const name of outputs.keys()) {
      const input = read.get((await identityOf(name)) ?? 'none')
      if (input === undefined) continue
      throw new AppError('usage', `${input} and ${name} are one file, which would be written over: name another one`)
    }
  }

  function opened(name: string): Output {
    const found = outputs.get(name)
    if (!found || 'error' in found) throw new AppError('forbidden', `the server writes ${name} without asking first`)
    return found
  }

  return {
    async offer(name) {
      refuseForeign(name)
      inputs.set(name, await find(name))
      await refuseSame()
    },
    async prepare(name, mode) {
      refuseForeign(name)
      try {
        const isNew = (await stat(name).catch(() => undefined)) === undefined
        const handle = await open(name, constants.O_WRONLY | constants.O_CREAT, mode & 0o644)
        outputs.set(name, { handle, isNew, isFile: (await handle.stat()).isFile(), isUsed: false })
      } catch (error) {
        outputs.set(name, { error: codeOf(error) })
      }
      await refuseSame()
    },
    described: () => ({
      files: [...inputs].map(([name, one]) => ('error' in one ? { name, error: one.error } : { name, size: one.size })),
      outputs: [...outputs].map(([name, one]) => ('error' in one ? { name, error: one.error } : { name })),
    }),
    size: () => [...inputs.values()].reduce((sum, one) => sum + ('error' in one ? 0 : one.size), 0),
    async *content() {
      for (const one of inputs.values()) {
        if ('error' in one || one.size === 0) continue
        // A file that has grown meanwhile is cut to the size that was said.
        yield* createReadStream(one.path, { end: one.size - 1, highWaterMark: 256 * 1024 }) as AsyncIterable<Buffer>
      }
    },
    async take(event) {
      const name = ('open' in event ? event.open : 'put' in event ? event.put : event.close).output
      const output = opened(name)
      try {
        output.isUsed = true
        if ('open' in event) {
          if (output.isFile) await output.handle.truncate(event.open.kept)
        } else if ('put' in event) {
          const { position, bytes } = event.put
          const content = Buffer.from(bytes, 'base64')
          if (output.isFile) await output.handle.truncate(position)
          await output.handle.write(content, 0, content.length, output.isFile ? position : null)
        }
      } catch (error) {
        throw unwritable(error, name)
      }
    },
    async close() {
      for (const [name, output] of outputs) {
        if ('error' in output) continue
        await output.handle.close()
        if (output.isNew && !output.isUsed) await unlink(name).catch(() => {})
      }
      if (directory !== undefined) await rm(directory, { recursive: true, force: true })
    },
  }
}

const KNOWN: readonly FileError[] = ['ENOENT', 'EISDIR', 'EACCES', 'EPERM']

function codeOf(error: unknown): FileError {
  const { code } = error as NodeJS.ErrnoException
  return KNOWN.find((one) => one === code) ?? 'EIO'
}
