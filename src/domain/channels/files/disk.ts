import { type FileHandle, open, readdir, stat, unlink } from 'node:fs/promises'
import { join } from 'node:path'
import { makeDirectories } from '../../../platform/files/directories.ts'
import { ageOfFile, type Clock } from '../../../platform/time/clock.ts'
import { type FileKeeper, ORPHAN_MS } from './keeper.ts'

/** Bytes of one read. */
const BYTES_AT_ONCE = 512 * 1024

/** Directory of the files that wait to be applied. */
export function uploadsDirectory(dataDir: string): string {
  return join(dataDir, 'uploads')
}

/** The path of an uploaded file. We choose the name, so callers cannot influence paths in the file system. */
export function uploadPath(dataDir: string, id: string): string {
  return join(uploadsDirectory(dataDir), `subscribers-${id}.csv`)
}

/** The id in such a name; undefined for any other file. */
export function idOfUpload(name: string): string | undefined {
  return /^subscribers-([0-9a-f-]{36})\.csv$/.exec(name)?.[1]
}

/** Keeps received files in the data directory, with mode 0600. */
export function onDisk(dataDir: string): FileKeeper {
  return {
    async begin(id) {
      makeDirectories(uploadsDirectory(dataDir))
      let handle: FileHandle | undefined = await open(uploadPath(dataDir, id), 'wx', 0o600)
      async function close(): Promise<void> {
        await handle?.close()
        handle = undefined
      }
      return {
        write: (chunk) => handle!.writeFile(chunk),
        async end() {
          await handle!.sync()
          await close()
          await syncDirectory(uploadsDirectory(dataDir))
        },
        async discard() {
          await close()
          await removeUpload(dataDir, id)
        },
      }
    },
  }
}

/** The bytes of a file from this place on, as many as one read takes; undefined if it does not exist. */
export async function readUpload(dataDir: string, id: string, from: number): Promise<Buffer | undefined> {
  try {
    const handle = await open(uploadPath(dataDir, id), 'r')
    try {
      const bytes = Buffer.allocUnsafe(BYTES_AT_ONCE)
      const { bytesRead } = await handle.read(bytes, 0, BYTES_AT_ONCE, from)
      return bytes.subarray(0, bytesRead)
    } finally {
      await handle.close()
    }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}

/** Deletes the file of an import, if it exists. */
export async function removeUpload(dataDir: string, id: string): Promise<void> {
  try {
    await unlink(uploadPath(dataDir, id))
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
  }
}

/** The ids of files that were last written some time ago: what nobody needs of them is to be deleted. */
export async function oldUploads(dataDir: string, clock: Clock): Promise<string[]> {
  const directory = uploadsDirectory(dataDir)
  const names = await readdir(directory).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return []
    throw error
  })
  const old: string[] = []
  for (const name of names) {
    const id = idOfUpload(name)
    const info = id && (await stat(join(directory, name)).catch(() => undefined))
    if (id && info && ageOfFile(clock, info.mtimeMs) > ORPHAN_MS) old.push(id)
  }
  return old
}

/** A new file survives a power cut only if its directory is flushed too. */
async function syncDirectory(path: string): Promise<void> {
  const directory = await open(path, 'r')
  try {
    await directory.sync()
  } finally {
    await directory.close()
  }
}
