import { Cursor } from './cursor.ts'
import { boundSides, type CleanPicture, frameCounter, PictureProblem } from './types.ts'

const EXTENSION = 0x21
const IMAGE = 0x2c
const TRAILER = 0x3b
const GRAPHIC_CONTROL = 0xf9
const APPLICATION = 0xff
/** Applications that say how often an animation repeats. Other applications write what is not needed to show it, such as XMP. */
const LOOPS = new Set(['NETSCAPE2.0', 'ANIMEXTS1.0'])

/**
 * Checks a GIF block by block (GIF89a) and drops comments, texts, data of applications and what follows its end. Throws
 * `PictureProblem`.
 */
export function cleanGif(file: Buffer): CleanPicture {
  const cursor = new Cursor(file)
  cursor.take(6)
  const screen = cursor.take(7)
  const [width, height] = [screen.readUInt16LE(0), screen.readUInt16LE(2)]
  boundSides(width, height)
  // What is kept may need GIF89a, whatever the file calls itself.
  const kept: Buffer[] = [Buffer.from('GIF89a'), screen, colourTable(cursor, screen[4]!)]
  const counter = frameCounter()
  /** Delay and transparency of the next image. */
  let control: Buffer | undefined
  for (;;) {
    const introducer = cursor.byte()
    if (introducer === TRAILER) break
    if (introducer === IMAGE) {
      const image = readImage(cursor, { width, height })
      counter.add(image.width, image.height)
      if (control) kept.push(control)
      control = undefined
      kept.push(image.whole)
    } else if (introducer === EXTENSION) {
      const label = cursor.byte()
      const body = subBlocks(cursor)
      if (label === GRAPHIC_CONTROL) control = extension(label, requireControl(body))
      else if (label === APPLICATION && isLoop(body)) kept.push(extension(label, body))
      // A text is an image of its own, which the control was for.
      else if (label === 0x01) control = undefined
    } else throw new PictureProblem('is a broken GIF: a part of it is unknown')
  }
  if (counter.count() === 0) throw new PictureProblem('is a GIF without pixels')
  kept.push(Buffer.from([TRAILER]))
  return { kind: 'gif', width, height, frames: counter.count(), bytes: Buffer.concat(kept) }
}

/** The colour table that the flags of a screen or an image announce. */
function colourTable(cursor: Cursor, flags: number): Buffer {
  return (flags & 0x80) === 0 ? Buffer.alloc(0) : cursor.take(3 * 2 ** ((flags & 0x07) + 1))
}

function readImage(cursor: Cursor, screen: { width: number; height: number }) {
  const place = cursor.take(9)
  const [x, y, width, height] = [0, 2, 4, 6].map((at) => place.readUInt16LE(at)) as [number, number, number, number]
  if (x + width > screen.width || y + height > screen.height) {
    throw new PictureProblem('is a GIF of which a frame lies outside of the picture: save it anew')
  }
  const colours = colourTable(cursor, place[8]!)
  const codeSize = cursor.take(1)
  if (codeSize[0]! < 2 || codeSize[0]! > 8) throw new PictureProblem('is a broken GIF: a frame of it cannot be read')
  const whole = Buffer.concat([Buffer.from([IMAGE]), place, colours, codeSize, subBlocks(cursor)])
  return { width, height, whole }
}

/** Blocks of at most 255 bytes, each behind its length, up to an empty one. */
function subBlocks(cursor: Cursor): Buffer {
  return cursor.passed(() => {
    for (let length = cursor.byte(); length > 0; length = cursor.byte()) cursor.skip(length)
  })
}

/** One block of four bytes, and the end. */
function requireControl(body: Buffer): Buffer {
  if (body.length !== 6 || body[0] !== 4) throw new PictureProblem('is a broken GIF: a frame of it cannot be read')
  return body
}

/** The name of the application, one block that says how often, and the end. */
function isLoop(body: Buffer): boolean {
  return (
    body.length === 17 &&
    body[0] === 11 &&
    LOOPS.has(body.toString('latin1', 1, 12)) &&
    body[12] === 3 &&
    body[13] === 1
  )
}

function extension(label: number, body: Buffer): Buffer {
  return Buffer.concat([Buffer.from([EXTENSION, label]), body])
}
