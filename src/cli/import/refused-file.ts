import { type FileHandle, open } from 'node:fs/promises'
import { writeRecord } from '../../platform/text/csv-text.ts'
import { unwritable } from '../output/file.ts'
import type { Caller } from '../process/caller.ts'
import type { Io } from '../process/io.ts'

/** A row that was refused. */
interface Refused {
  file: string
  line: number
  problem: string
  text: string
}

/** The file of `--errors`: CSV, readable for its owner only, because the rows hold tokens. */
export interface RefusedFile {
  /** Writes rows at a position, and what stood behind it is gone. Returns where they end. */
  put(rows: readonly Refused[], position: number): Promise<number>
  close(): Promise<void>
}

const HEAD = 'file,line,reason,row\r\n'

/**
 * Opens the file. An import that continues keeps the first `kept` bytes of it: what a killed run wrote behind them is
 * not stored as done, and comes again. Throws as `unwritable` says.
 */
export async function openRefusedFile({ caller }: Io, path: string, kept: number): Promise<RefusedFile> {
  if (caller) return openThere(caller, path, kept)
  const handle = await openAt(path, kept)
  return {
    async put(rows, position) {
      const bytes = bytesOf(rows, position)
      try {
        await handle.truncate(position)
        await handle.write(bytes, 0, bytes.length, position)
      } catch (error) {
        throw unwritable(error, path)
      }
      return position + bytes.length
    },
    close: () => handle.close(),
  }
}

/** The same on the caller's machine. */
function openThere(caller: Caller, path: string, kept: number): RefusedFile {
  try {
    const file = caller.openOutput(path, MODE, kept)
    return {
      async put(rows, position) {
        const bytes = bytesOf(rows, position)
        await file.put(position, bytes)
        return position + bytes.length
      },
      close: () => file.close(),
    }
  } catch (error) {
    throw unwritable(error, path)
  }
}

/** Of the owner only. */
export const MODE = 0o600

const bytesOf = (rows: readonly Refused[], position: number) =>
  Buffer.from((position === 0 ? HEAD : '') + rows.map(lineOf).join(''))

async function openAt(path: string, kept: number): Promise<FileHandle> {
  try {
    if (kept === 0) return await open(path, 'w', MODE)
    const handle = await open(path, 'r+')
    await handle.truncate(kept)
    return handle
  } catch (error) {
    // It was moved away meanwhile: the rest goes into a new one.
    if (kept > 0 && (error as NodeJS.ErrnoException).code === 'ENOENT') return open(path, 'w', MODE)
    throw unwritable(error, path)
  }
}

function lineOf({ file, line, problem, text }: Refused): string {
  return writeRecord([file, line, problem, text])
}
