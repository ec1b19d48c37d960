import { createHash } from 'node:crypto'
import { AppError } from '../../platform/errors.ts'
import { type NewPicture, readPicture } from './schema.ts'

/** A picture that was taken in. `digest` tells whether two uploads are the same one. */
export interface ReceivedPicture extends NewPicture {
  digest: string
}

/**
 * Receives an uploaded file of at most `limit` bytes in memory and checks it when it is whole. No connection to the database is held
 * meanwhile. Throws `too_large`, and `invalid` that names `file`.
 */
export function receivePicture(limit: number) {
  let name = ''
  let bytes = 0
  let pieces: Buffer[] = []
  return {
    begin: async (given: string): Promise<void> => void (name = given),
    write: async (piece: Buffer): Promise<void> => {
      bytes += piece.length
      if (bytes > limit) throw tooLarge(limit)
      pieces.push(piece)
    },
    end: async (): Promise<ReceivedPicture> => {
      const received = readPicture(name, Buffer.concat(pieces))
      const digest = createHash('sha256').update(`${received.name}\0`).update(received.picture.bytes).digest('hex')
      return { ...received, digest }
    },
    discard: async (): Promise<void> => void (pieces = []),
  }
}

export function tooLarge(limit: number): AppError {
  return new AppError(
    'too_large',
    `the picture is larger than ${limit} bytes (limits.picture): save it smaller, or with more compression`,
  )
}
