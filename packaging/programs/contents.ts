/**
 * Contents of large files of the bundle, without a block of glibc's for them: once glibc has given a large block back, it takes later
 * blocks of that size from its heaps, and keeps more of these.
 */
import { closeSync, fstatSync, openSync, readSync } from 'node:fs'
import { join } from 'node:path'
import { getAsset, getRawAsset, isSea } from 'node:sea'
import { PLACES } from './names.ts'

/** Size of a piece of text (bytes). */
const PIECE = 64 * 1024

/** The bytes of a file that are a part of it. */
interface Place {
  at: number
  size: number
}

/** A buffer of this size. V8 takes the memory of a buffer that may be resized from the system, and gives it back to the system. */
export function systemBuffer(maxByteLength: number): Buffer<ArrayBuffer> {
  return Buffer.from(new ArrayBuffer(maxByteLength, { maxByteLength }))
}

/** The contents of a file beside the program, or of a part of the packaged executable: do not change them. */
export function contentsOf(name: string): Buffer<ArrayBuffer> {
  return isSea() ? partOf(name) : readFrom(join(import.meta.dirname, name))
}

/**
 * The contents of a part of the executable, read from its file: what is used in place stays in memory, because Node has mapped the file. Where
 * it cannot be read, they are used in place. `/proc/self/exe` is the file that runs, also when another version has taken its name.
 */
function partOf(name: string): Buffer<ArrayBuffer> {
  try {
    const places = JSON.parse(getAsset(PLACES, 'utf8')) as Record<string, Place>
    const { at, size } = places[name]!
    return readFrom('/proc/self/exe', { at, size })
  } catch {
    return Buffer.from(getRawAsset(name))
  }
}

function readFrom(path: string, place?: Place): Buffer<ArrayBuffer> {
  const file = openSync(path, 'r')
  try {
    const { at, size } = place ?? { at: 0, size: fstatSync(file).size }
    const bytes = systemBuffer(size)
    for (let done = 0, read = 1; read > 0; done += read) read = readSync(file, bytes, done, size - done, at + done)
    return bytes
  } finally {
    closeSync(file)
  }
}

/** The text of contents in ASCII. */
export function textOf(bytes: Buffer): string {
  let text = ''
  for (let at = 0; at < bytes.length; at += PIECE) text += bytes.toString('latin1', at, at + PIECE)
  return text
}
