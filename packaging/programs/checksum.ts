import { crc32 } from 'node:zlib'

/** Length of a checksum, which is at the end of the file with what is compiled (bytes). */
export const CHECKSUM_LENGTH = 4

/**
 * The checksum of what this Node has compiled of a text. V8 looks at its own version, at its flags and at the length of the text; it
 * believes the rest, and runs it: a damaged file, or that of another text as long as this one, would end the process or be other code.
 */
export function checksumOf(text: Buffer, compiled: Buffer): Buffer {
  const bytes = Buffer.alloc(CHECKSUM_LENGTH)
  bytes.writeUInt32LE(crc32(compiled, crc32(text, crc32(process.version))))
  return bytes
}
