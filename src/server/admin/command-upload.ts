import { randomBytes } from 'node:crypto'
import { type FileHandle, open, readdir, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { AppError, invalid } from '../../platform/errors.ts'
import { makeDirectories } from '../../platform/files/directories.ts'
import { parseJsonBytes } from '../../platform/json/json.ts'
import { ageOfFile, type Clock } from '../../platform/time/clock.ts'
import type { Program } from '../../program.ts'
import type { FileSink, ReceivedFile } from '../routing/route.ts'
import { type CommandRequest, MAX_FILES_SIZE, MAX_HEAD, readCommandRequest } from './command-request.ts'
import { type TakenRoom, takeRoom } from './command-room.ts'

/** A command with its files, which are in a directory of their own until `discard`. */
export interface ReceivedCommand extends ReceivedFile {
  request: CommandRequest
  /** Paths of the copies by the name that the command line gives. */
  paths: ReadonlyMap<string, string>
  discard(): Promise<void>
}

const NEWLINE = 0x0a
/** Bytes for the first line. Most fit in; the room is doubled for those that do not. */
const ROOM_FOR_HEAD = 16_384
/** The age (ms) at which files of a killed process are deleted. */
const LEFT_MS = 86_400_000

/** The directory for the files of commands while these run. */
export function commandsDirectory(dataDir: string): string {
  return join(dataDir, 'commands')
}

export interface Receiving {
  program: Program
  /** Id of the person. */
  personId: number
  /** Called before a byte of a file is taken in. Throws unless the person may run this command. */
  admit(request: CommandRequest): Promise<void>
  /** Called in the end, whatever came of it. */
  leave(): void
}

/**
 * Takes in the line of JSON and, when the person may run the command, writes the files behind it to the data directory, readable
 * for this user only. Throws `too_large` and `invalid`, and the errors of `admit` and `takeRoom`.
 */
export function receiveCommand({ program, personId, admit, leave }: Receiving): FileSink<ReceivedCommand> {
  const { dataDir } = program.kernel.config
  const id = randomBytes(12).toString('hex')
  const directory = join(commandsDirectory(dataDir), id)
  /** The first line, as far as it has come, with room for more: a caller may send it byte by byte. */
  let head: Buffer | undefined = Buffer.alloc(ROOM_FOR_HEAD)
  let headSize = 0
  let request: CommandRequest | undefined
  let pending: { path: string; left: number }[] = []
  const paths = new Map<string, string>()
  let handle: FileHandle | undefined
  let room: TakenRoom | undefined

  async function discard(): Promise<void> {
    await handle?.close().catch(() => {})
    handle = undefined
    if (room) await rm(directory, { recursive: true, force: true })
    room?.leave()
    leave()
  }

  async function begin(line: Buffer): Promise<void> {
    request = readCommandRequest(parseJsonBytes(line))
    const files = request.files.filter(({ error }) => !error)
    if (files.some(({ size }) => size == null)) throw invalid({ files: ['need a size or an error'] })
    const sum = files.reduce((total, { size }) => total + size!, 0)
    if (sum > MAX_FILES_SIZE) {
      throw new AppError('too_large', `the files of a command may have at most ${MAX_FILES_SIZE} bytes together`)
    }
    if (files.length === 0) return
    await admit(request)
    room = takeRoom(program, personId, sum)
    await forgetOld(commandsDirectory(dataDir), program.kernel.clock)
    makeDirectories(directory)
    pending = files.map(({ name, size }, i) => {
      const path = join(directory, `file-${i}`)
      paths.set(name, path)
      return { path, left: size! }
    })
    await nextFile()
  }

  /** Opens files until one of them has bytes to come. */
  async function nextFile(): Promise<void> {
    await handle?.close()
    handle = undefined
    while (pending.length > 0 && !handle) {
      const opened = await open(pending[0]!.path, 'wx', 0o600)
      if (pending[0]!.left > 0) handle = opened
      else {
        await opened.close()
        pending.shift()
      }
    }
  }

  async function store(bytes: Buffer): Promise<void> {
    for (let rest = bytes; rest.length > 0; ) {
      const file = pending[0]
      if (!file || !handle) throw invalid({ file: ['has more bytes than its first line says'] })
      const part = rest.subarray(0, file.left)
      // A single write may store only a part of it.
      await handle.writeFile(part)
      room?.written(part.length)
      file.left -= part.length
      rest = rest.subarray(part.length)
      if (file.left > 0) continue
      pending.shift()
      await nextFile()
    }
  }

  return {
    async begin() {},
    async write(chunk) {
      if (!head) return store(chunk)
      const end = chunk.indexOf(NEWLINE)
      const piece = end < 0 ? chunk : chunk.subarray(0, end)
      headSize += piece.length
      if (headSize > MAX_HEAD) {
        throw new AppError('too_large', `the first line of a command may have at most ${MAX_HEAD} bytes`)
      }
      while (headSize > head.length) head = Buffer.concat([head, Buffer.alloc(head.length)])
      piece.copy(head, headSize - piece.length)
      if (end < 0) return
      const line = head.subarray(0, headSize)
      head = undefined
      await begin(line)
      await store(chunk.subarray(end + 1))
    },
    async end() {
      if (!request || pending.length > 0) throw invalid({ file: ['ended too early'] })
      return { digest: id, request, paths, discard }
    },
    discard,
  }
}

/** Deletes files that killed processes left. */
async function forgetOld(directory: string, clock: Clock): Promise<void> {
  for (const name of await readdir(directory).catch(() => [])) {
    const path = join(directory, name)
    const found = await stat(path).catch(() => undefined)
    if (found && ageOfFile(clock, found.mtimeMs) > LEFT_MS) await rm(path, { recursive: true, force: true })
  }
}
