import { Cursor } from './cursor.ts'
import { orientationOnly, readOrientation, sidesShown } from './orientation.ts'
import { boundSides, type CleanPicture, PictureProblem } from './types.ts'

/** Markers (ITU-T T.81, table B.1). */
const SOI = 0xd8
const EOI = 0xd9
const SOS = 0xda
const APP0 = 0xe0
const APP1 = 0xe1
const APP2 = 0xe2
const APP14 = 0xee
const COM = 0xfe
/** Baseline, extended sequential and progressive: the three that browsers and phones show. */
const FRAMES = new Set([0xc0, 0xc1, 0xc2])
/** Tables: Huffman codes, quantisation, restart interval. */
const TABLES = new Set([0xc4, 0xdb, 0xdd])

/** Scans of a picture: each goes over all its pixels once more. Progressive pictures have about ten. */
const MOST_SCANS = 100

const EXIF = 'Exif\0\0'
const ICC = 'ICC_PROFILE\0'
const ADOBE = 'Adobe'
const JFIF = 'JFIF\0'

interface Read {
  kept: Buffer[]
  sides: { width: number; height: number } | undefined
  orientation: number
  scans: number
}

/**
 * Checks a JPEG segment by segment and drops EXIF, XMP, comments, previews and what follows its end: phones append whole films there.
 * Of EXIF the orientation stays. Throws `PictureProblem`.
 */
export function cleanJpeg(file: Buffer): CleanPicture {
  const cursor = new Cursor(file)
  cursor.take(2)
  const read: Read = { kept: [], sides: undefined, orientation: 1, scans: 0 }
  for (;;) {
    const marker = nextMarker(cursor)
    if (marker === EOI) break
    const length = cursor.take(2).readUInt16BE()
    if (length < 2) throw new PictureProblem('is a broken JPEG: a part of it has no length')
    takeSegment(read, marker, cursor.take(length - 2))
    if (marker === SOS) read.kept.push(entropyCoded(cursor))
  }
  const { kept, sides, orientation, scans } = read
  if (!sides || scans === 0) throw new PictureProblem('is a JPEG without pixels')
  const turned =
    orientation === 1 ? [] : [segment(APP1, Buffer.concat([Buffer.from(EXIF), orientationOnly(orientation)]))]
  return {
    kind: 'jpeg',
    ...sidesShown(sides.width, sides.height, orientation),
    frames: 1,
    bytes: Buffer.concat([Buffer.from([0xff, SOI]), ...turned, ...kept, Buffer.from([0xff, EOI])]),
  }
}

/** The next marker. Any number of 0xff may stand before it (T.81, B.1.1.2). */
function nextMarker(cursor: Cursor): number {
  if (cursor.byte() !== 0xff) throw new PictureProblem('is a broken JPEG: a part of it does not begin with a marker')
  let marker = cursor.byte()
  while (marker === 0xff) marker = cursor.byte()
  return marker
}

function takeSegment(read: Read, marker: number, body: Buffer): void {
  const begins = (text: string) => body.toString('latin1', 0, text.length) === text
  if (FRAMES.has(marker)) {
    if (read.sides) throw new PictureProblem('is a JPEG with two pictures in it')
    read.sides = readFrame(body)
    read.kept.push(segment(marker, body))
  } else if (TABLES.has(marker)) read.kept.push(segment(marker, body))
  else if (marker === SOS) {
    if (!read.sides) throw new PictureProblem('is a broken JPEG: its pixels come before its size')
    if (++read.scans > MOST_SCANS)
      throw new PictureProblem(`is a JPEG with more than ${MOST_SCANS} scans: save it anew`)
    read.kept.push(segment(marker, body))
  } else if (marker === APP0 && begins(JFIF) && body.length >= 14) {
    // The rest is a preview.
    const head = Buffer.from(body.subarray(0, 14))
    head.fill(0, 12)
    read.kept.push(segment(marker, head))
  } else if (marker === APP1 && begins(EXIF)) read.orientation = readOrientation(body.subarray(EXIF.length))
  else if (marker === APP2 && begins(ICC)) read.kept.push(segment(marker, body))
  // How its three channels were mixed; its twelve bytes say nothing else.
  else if (marker === APP14 && begins(ADOBE) && body.length >= 12) read.kept.push(segment(marker, body.subarray(0, 12)))
  else if (!(marker >= APP0 && marker <= 0xef) && marker !== COM) {
    throw new PictureProblem('is a JPEG of a rare form: save it as a common one')
  }
}

/** Precision, height, width, components (T.81, B.2.2). */
function readFrame(body: Buffer): { width: number; height: number } {
  const components = body[5] ?? 0
  if (body.length !== 6 + components * 3 || body[0] !== 8)
    throw new PictureProblem('is a JPEG of a rare form: save it as a common one')
  if (components !== 1 && components !== 3) {
    throw new PictureProblem('is a JPEG in the colours of print (CMYK), which phones show wrong: save it as RGB')
  }
  const [height, width] = [body.readUInt16BE(1), body.readUInt16BE(3)]
  boundSides(width, height)
  return { width, height }
}

/** The pixels of a scan: all up to the next marker that is neither a stuffed byte nor a restart. */
function entropyCoded(cursor: Cursor): Buffer {
  return cursor.passed(() => {
    for (;;) {
      cursor.seek(0xff)
      const next = cursor.peek(1)
      const isPixels = next === 0x00 || (next >= 0xd0 && next <= 0xd7)
      if (!isPixels) return
      cursor.skip(2)
    }
  })
}

function segment(marker: number, body: Buffer): Buffer {
  const head = Buffer.from([0xff, marker, 0, 0])
  head.writeUInt16BE(body.length + 2, 2)
  return Buffer.concat([head, body])
}
