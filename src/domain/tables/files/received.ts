import { createHash } from 'node:crypto'
import { setImmediate } from 'node:timers/promises'
import { AppError } from '../../../platform/errors.ts'

/** Maximum size of an uploaded file in bytes. It is kept in memory until its records are stored. */
const MAX_BYTES = 16 * 1024 * 1024

/** A file of records that was uploaded. */
export interface TableFile {
  digest: string
  pieces(): AsyncGenerator<Uint8Array>
}

/** Takes a file of records in, piece by piece. Throws `too_large`. */
export function receiveTableFile() {
  const chunks: Buffer[] = []
  const hash = createHash('sha256')
  let size = 0
  return {
    async begin() {},
    async write(chunk: Buffer) {
      size += chunk.length
      if (size > MAX_BYTES) {
        throw new AppError(
          'too_large',
          `the file is larger than ${MAX_BYTES} bytes: import it with appsvc tables import, or in parts`,
        )
      }
      hash.update(chunk)
      chunks.push(chunk)
    },
    async end(): Promise<TableFile> {
      return {
        digest: hash.digest('hex'),
        async *pieces() {
          for (const chunk of chunks) {
            yield chunk
            await setImmediate()
          }
        },
      }
    },
    async discard() {
      chunks.length = 0
    },
  }
}
