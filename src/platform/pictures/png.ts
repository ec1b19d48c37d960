import { crc32 } from 'node:zlib'
import { Cursor } from './cursor.ts'
import { orientationOnly, readOrientation, sidesShown } from './orientation.ts'
import { boundChunks, boundSides, type CleanPicture, PictureProblem } from './types.ts'

const PNG_SIGNATURE = Buffer.from('89504e470d0a1a0a', 'hex')

/** Chunks that a PNG keeps: how to read its pixels and what colours they mean (PNG, third edition: chunk specifications). */
const KEPT = new Set('PLTE IDAT tRNS cHRM cICP gAMA iCCP sBIT sRGB bKGD pHYs'.split(' '))
const ANIMATION = new Set(['acTL', 'fcTL', 'fdAT'])
/** Bits of a sample by type of colour (PNG, third edition: IHDR). */
const BIT_DEPTHS: Record<number, readonly number[]> = {
  0: [1, 2, 4, 8, 16],
  2: [8, 16],
  3: [1, 2, 4, 8],
  4: [8, 16],
  6: [8, 16],
}

/** Checks a PNG chunk by chunk and drops texts, times, EXIF and what follows its end. Throws `PictureProblem`. */
export function cleanPng(file: Buffer): CleanPicture {
  const cursor = new Cursor(file)
  if (!cursor.take(PNG_SIGNATURE.length).equals(PNG_SIGNATURE)) {
    throw new PictureProblem('is a broken PNG: its first bytes were changed on the way')
  }
  const head = readChunk(cursor)
  const { width, height } = readHead(head)
  const kept: Buffer[] = [PNG_SIGNATURE, head.whole]
  let orientation = 1
  let chunks = 0
  let data: 'before' | 'inside' | 'behind' = 'before'
  for (;;) {
    const chunk = readChunk(cursor)
    boundChunks(++chunks)
    const { type, body } = chunk
    if (type === 'IEND') {
      if (data === 'before') throw new PictureProblem('is a PNG without pixels')
      kept.push(writeChunk('IEND', Buffer.alloc(0)))
      break
    }
    if (ANIMATION.has(type)) throw new PictureProblem('is an animated PNG: save the animation as a GIF or WebP')
    if (type === 'IDAT') {
      if (data === 'behind') throw new PictureProblem('is a PNG whose pixels are in two places')
      data = 'inside'
    } else if (data === 'inside') data = 'behind'
    if (type === 'eXIf') orientation = readOrientation(body)
    if (KEPT.has(type)) kept.push(chunk.whole)
    else if (type === 'IHDR' || /^[A-Z]/.test(type)) throw new PictureProblem(`is a PNG with an unknown part ${type}`)
  }
  if (orientation !== 1) kept.splice(2, 0, writeChunk('eXIf', orientationOnly(orientation)))
  return { kind: 'png', ...sidesShown(width, height, orientation), frames: 1, bytes: Buffer.concat(kept) }
}

interface Chunk {
  type: string
  body: Buffer
  whole: Buffer
}

/** Length, type, content and checksum. */
function readChunk(cursor: Cursor): Chunk {
  const length = cursor.take(4)
  const typed = cursor.take(4)
  const type = typed.toString('latin1')
  if (!/^[A-Za-z]{4}$/.test(type)) throw new PictureProblem('is a broken PNG: a part of it has no name')
  const body = cursor.take(length.readUInt32BE())
  const sum = cursor.take(4)
  if (crc32(body, crc32(typed)) !== sum.readUInt32BE()) {
    throw new PictureProblem(`is a broken PNG: the checksum of its part ${type} is wrong`)
  }
  return { type, body, whole: Buffer.concat([length, typed, body, sum]) }
}

function readHead({ type, body }: Chunk): { width: number; height: number } {
  if (type !== 'IHDR' || body.length !== 13) throw new PictureProblem('is a PNG that does not begin with its head')
  const [width, height] = [body.readUInt32BE(0), body.readUInt32BE(4)]
  boundSides(width, height)
  const [depth, colour, compression, filter, interlace] = [...body.subarray(8)] as [
    number,
    number,
    number,
    number,
    number,
  ]
  if (!BIT_DEPTHS[colour]?.includes(depth) || compression !== 0 || filter !== 0 || interlace > 1) {
    throw new PictureProblem('is a PNG of an unknown form')
  }
  return { width, height }
}

function writeChunk(type: string, body: Buffer): Buffer {
  const chunk = Buffer.alloc(12 + body.length)
  chunk.writeUInt32BE(body.length)
  chunk.write(type, 4, 'latin1')
  body.copy(chunk, 8)
  chunk.writeUInt32BE(crc32(chunk.subarray(4, 8 + body.length)), 8 + body.length)
  return chunk
}
