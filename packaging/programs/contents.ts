/**
 * Contents of large files of the bundle, without a block of glibc's for them: once glibc has given a large block back, it takes later
 * blocks of that size from its heaps, and keeps more of these.
 */
import { closeSync, fstatSync, openSync, readSync } from 'node:fs'
import { join } from 'node:path'
import { getRawAsset, isSea } from 'node:sea'

/** Size of a piece of text (bytes). */
const PIECE = 64 * 1024

/** A buffer of this size. V8 takes the memory of a buffer that may be resized from the system, and gives it back to the system. */
export function systemBuffer(maxByteLength: number): Buffer<ArrayBuffer> {
  return Buffer.from(new ArrayBuffer(maxByteLength, { maxByteLength }))
}

/** The contents of a file beside the program. In the packaged executable they are a part of the executable: do not change them. */
export function contentsOf(name: string): Buffer<ArrayBuffer> {
  if (isSea()) return Buffer.from(getRawAsset(name))
  const file = openSync(join(import.meta.dirname, name), 'r')
  try {
    const bytes = systemBuffer(fstatSync(file).size)
    for (let at = 0, read = 1; read > 0; at += read) read = readSync(file, bytes, at, bytes.length - at, null)
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
