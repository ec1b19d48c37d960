import { Cursor } from './cursor.ts'
import { orientationOnly, readOrientation, sidesShown } from './orientation.ts'
import { boundChunks, boundSides, type CleanPicture, frameCounter, PictureProblem } from './types.ts'

/** Flags of VP8X (WebP container specification, "Extended File Format"). */
const FLAG = { animation: 0x02, exif: 0x08, alpha: 0x10, icc: 0x20 } as const

const BROKEN = 'is a broken WebP'

interface Chunk {
  type: string
  body: Buffer
}

interface Sides {
  width: number
  height: number
}

/**
 * Checks a WebP chunk by chunk, also inside the frames of an animation, and drops EXIF, XMP, unknown chunks and what follows its end.
 * Of EXIF the orientation stays. Throws `PictureProblem`.
 */
export function cleanWebp(file: Buffer): CleanPicture {
  const cursor = new Cursor(file)
  cursor.take(4)
  const length = cursor.take(4).readUInt32LE()
  if (length < 4) throw new PictureProblem(BROKEN)
  const inside = new Cursor(cursor.take(length))
  inside.take(4)
  const chunks = readChunks(inside)
  const [first] = chunks
  if (first?.type === 'VP8X') return extended(first.body, chunks.slice(1))
  if (!first || !isBitstream(first)) throw new PictureProblem(`${BROKEN}: it does not begin with its picture`)
  const sides = sidesOf(first)
  boundSides(sides.width, sides.height)
  return { kind: 'webp', ...sides, frames: 1, bytes: riff([first]) }
}

function extended(head: Buffer, chunks: readonly Chunk[]): CleanPicture {
  if (head.length !== 10) throw new PictureProblem(BROKEN)
  const canvas = { width: head.readUIntLE(4, 3) + 1, height: head.readUIntLE(7, 3) + 1 }
  boundSides(canvas.width, canvas.height)
  const counter = frameCounter()
  const kept: Chunk[] = []
  let flags = head[0]! & FLAG.alpha
  let orientation = 1
  for (const chunk of chunks) {
    const { type, body } = chunk
    if (type === 'ICCP' && kept.length === 0) {
      flags |= FLAG.icc
      kept.push(chunk)
    } else if (type === 'ANIM' && body.length === 6) {
      flags |= FLAG.animation
      kept.push(chunk)
    } else if (type === 'ANMF') {
      kept.push({ type, body: cleanFrame(body, canvas) })
      counter.add(body.readUIntLE(6, 3) + 1, body.readUIntLE(9, 3) + 1)
    } else if (isBitstream(chunk)) {
      requireSame(sidesOf(chunk), canvas)
      counter.add(canvas.width, canvas.height)
      kept.push(chunk)
    } else if (type === 'ALPH') kept.push(chunk)
    else if (type === 'EXIF') orientation = readOrientation(withoutName(body))
  }
  const isAnimated = (flags & FLAG.animation) !== 0
  requirePicture(kept, isAnimated)
  const last: Chunk[] = []
  if (orientation !== 1) {
    flags |= FLAG.exif
    last.push({ type: 'EXIF', body: orientationOnly(orientation) })
  }
  const extension = Buffer.from(head)
  extension.fill(0, 0, 4)
  extension[0] = flags
  return {
    kind: 'webp',
    ...sidesShown(canvas.width, canvas.height, orientation),
    frames: counter.count(),
    bytes: riff([{ type: 'VP8X', body: extension }, ...kept, ...last]),
  }
}

/** An animation has frames and nothing else that is shown; a still picture has one bitstream. */
function requirePicture(kept: readonly Chunk[], isAnimated: boolean): void {
  const stills = kept.filter(isBitstream).length
  const frames = kept.filter(({ type }) => type === 'ANMF').length
  const isRight = isAnimated ? frames > 0 && stills === 0 : frames === 0 && stills === 1
  if (!isRight) throw new PictureProblem(`${BROKEN}: it has no picture, or more than one`)
}

/** A frame: its place, then chunks of its own, of which the picture and its transparency stay. */
function cleanFrame(body: Buffer, canvas: Sides): Buffer {
  const cursor = new Cursor(body)
  const head = cursor.take(16)
  const [x, y] = [head.readUIntLE(0, 3) * 2, head.readUIntLE(3, 3) * 2]
  const sides = { width: head.readUIntLE(6, 3) + 1, height: head.readUIntLE(9, 3) + 1 }
  if (x + sides.width > canvas.width || y + sides.height > canvas.height) {
    throw new PictureProblem(`${BROKEN}: a frame lies outside of it`)
  }
  const kept = readChunks(cursor).filter((chunk) => chunk.type === 'ALPH' || isBitstream(chunk))
  const pictures = kept.filter(isBitstream)
  if (pictures.length !== 1) throw new PictureProblem(`${BROKEN}: a frame has no picture, or more than one`)
  requireSame(sidesOf(pictures[0]!), sides)
  return Buffer.concat([head, ...kept.map(written)])
}

function isBitstream({ type }: Chunk): boolean {
  return type === 'VP8 ' || type === 'VP8L'
}

/** The sides that a decoder makes room for: those in the bitstream, whatever the container says. */
function sidesOf({ type, body }: Chunk): Sides {
  if (type === 'VP8L') {
    if (body.length < 5 || body[0] !== 0x2f) throw new PictureProblem(BROKEN)
    const bits = body.readUInt32LE(1)
    return { width: (bits & 0x3fff) + 1, height: ((bits >>> 14) & 0x3fff) + 1 }
  }
  // RFC 6386 section 9.1: a key frame has a start code behind its tag.
  if (body.length < 10 || (body[0]! & 1) !== 0 || body.readUIntBE(3, 3) !== 0x9d012a) throw new PictureProblem(BROKEN)
  return { width: body.readUInt16LE(6) & 0x3fff, height: body.readUInt16LE(8) & 0x3fff }
}

function requireSame(one: Sides, other: Sides): void {
  if (one.width !== other.width || one.height !== other.height) {
    throw new PictureProblem(`${BROKEN}: it says two different sizes`)
  }
}

/** Some programs write the name of JPEG's segment in front. */
function withoutName(body: Buffer): Buffer {
  return body.toString('latin1', 0, 6) === 'Exif\0\0' ? body.subarray(6) : body
}

/** Chunks to the end: type, length, content, and one byte more when the length is odd. */
function readChunks(cursor: Cursor): Chunk[] {
  const chunks: Chunk[] = []
  while (cursor.left > 0) {
    const type = cursor.name(4)
    const length = cursor.take(4).readUInt32LE()
    const body = cursor.take(length)
    // The last one may lack its filling byte.
    if (length % 2 === 1 && cursor.left > 0) cursor.byte()
    chunks.push({ type, body })
    boundChunks(chunks.length)
  }
  return chunks
}

function written({ type, body }: Chunk): Buffer {
  const chunk = Buffer.alloc(8 + body.length + (body.length % 2))
  chunk.write(type, 'latin1')
  chunk.writeUInt32LE(body.length, 4)
  body.copy(chunk, 8)
  return chunk
}

function riff(chunks: readonly Chunk[]): Buffer {
  const body = Buffer.concat(chunks.map(written))
  const head = Buffer.from('RIFF\0\0\0\0WEBP', 'latin1')
  head.writeUInt32LE(body.length + 4, 4)
  return Buffer.concat([head, body])
}
