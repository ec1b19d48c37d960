import { crc32, deflateSync } from 'node:zlib'
import { orientationOnly } from '../../src/platform/pictures/orientation.ts'

/** Pictures of a few pixels, made part by part, so that a test can put anything between the parts. */

interface Sides {
  width?: number
  height?: number
}

const u16be = (...values: number[]) => Buffer.from(values.flatMap((value) => [value >> 8, value & 255]))
const u16le = (...values: number[]) => Buffer.from(values.flatMap((value) => [value & 255, value >> 8]))
const u24le = (...values: number[]) =>
  Buffer.from(values.flatMap((value) => [value & 255, (value >> 8) & 255, value >> 16]))

/** EXIF data as a camera writes it: an orientation among other things, here the name of a place. */
export function exif(orientation: number, place = 'Mitte 52.52N'): Buffer {
  return Buffer.concat([orientationOnly(orientation), Buffer.from(place)])
}

export function pngChunk(type: string, body: Buffer | string = ''): Buffer {
  const chunk = Buffer.concat([Buffer.alloc(4), Buffer.from(type, 'latin1'), Buffer.from(body), Buffer.alloc(4)])
  chunk.writeUInt32BE(chunk.length - 12)
  chunk.writeUInt32BE(crc32(chunk.subarray(4, -4)), chunk.length - 4)
  return chunk
}

interface Png extends Sides {
  red?: number
  green?: number
  /** Chunks between the head and the pixels. */
  before?: readonly Buffer[]
  /** Bytes behind the end. */
  tail?: string
}

export const PNG_SIGNATURE = Buffer.from('89504e470d0a1a0a', 'hex')

export function pngHead({ width = 2, height = 1 }: Sides = {}): Buffer {
  const head = Buffer.alloc(13)
  head.writeUInt32BE(width)
  head.writeUInt32BE(height, 4)
  head.set([8, 2, 0, 0, 0], 8)
  return pngChunk('IHDR', head)
}

/** A PNG of one colour. */
export function smallPng({ width = 2, height = 1, red = 255, green = 0, before = [], tail = '' }: Png = {}): Buffer {
  const line = Buffer.concat([Buffer.from([0]), ...Array.from({ length: width }, () => Buffer.from([red, green, 0]))])
  const pixels = deflateSync(Buffer.concat(Array.from({ length: height }, () => line)))
  return Buffer.concat([
    PNG_SIGNATURE,
    pngHead({ width, height }),
    ...before,
    pngChunk('IDAT', pixels),
    pngChunk('IEND'),
    Buffer.from(tail),
  ])
}

export function jpegSegment(marker: number, body: Buffer | string): Buffer {
  const bytes = Buffer.from(body as string, 'latin1')
  return Buffer.concat([Buffer.from([0xff, marker]), u16be(bytes.length + 2), bytes])
}

interface Jpeg extends Sides {
  components?: number
  frame?: number
  /** Segments behind the first bytes. */
  before?: readonly Buffer[]
  tail?: Buffer | string
}

/** The shape of a JPEG, whose pixels nobody can decode. */
export function smallJpeg({
  width = 8,
  height = 4,
  components = 3,
  frame = 0xc0,
  before = [],
  tail = '',
}: Jpeg = {}): Buffer {
  const planes = Array.from({ length: components }, (_, i) => [i + 1, 0x11, 0]).flat()
  return Buffer.concat([
    Buffer.from([0xff, 0xd8]),
    ...before,
    jpegSegment(0xdb, Buffer.alloc(65, 1)),
    jpegSegment(frame, Buffer.from([8, height >> 8, height & 255, width >> 8, width & 255, components, ...planes])),
    jpegSegment(0xda, Buffer.from([1, 1, 0, 0, 63, 0])),
    // A stuffed byte and a restart are pixels.
    Buffer.from([0x12, 0xff, 0x00, 0x34, 0xff, 0xd0, 0x56, 0xff, 0xd9]),
    Buffer.from(tail as string),
  ])
}

export function webpChunk(type: string, body: Buffer | string): Buffer {
  const bytes = Buffer.from(body as string, 'latin1')
  const head = Buffer.concat([Buffer.from(type), Buffer.alloc(4)])
  head.writeUInt32LE(bytes.length, 4)
  return Buffer.concat([head, bytes, Buffer.alloc(bytes.length % 2)])
}

export function riff(chunks: readonly Buffer[], length?: number): Buffer {
  const body = Buffer.concat(chunks)
  const head = Buffer.from('RIFF\0\0\0\0WEBP', 'latin1')
  head.writeUInt32LE(length ?? body.length + 4, 4)
  return Buffer.concat([head, body])
}

/** A lossless bitstream of these sides. */
export function vp8l({ width = 4, height = 2 }: Sides = {}): Buffer {
  const head = Buffer.alloc(9, 0x77)
  head[0] = 0x2f
  head.writeUInt32LE((width - 1) | ((height - 1) << 14), 1)
  return webpChunk('VP8L', head)
}

/** A lossy bitstream of these sides. */
export function vp8({ width = 4, height = 2 }: Sides = {}): Buffer {
  return webpChunk(
    'VP8 ',
    Buffer.concat([Buffer.from([0x10, 0, 0, 0x9d, 0x01, 0x2a]), u16le(width, height), Buffer.alloc(4)]),
  )
}

export function vp8x(flags: number, { width = 4, height = 2 }: Sides = {}): Buffer {
  return webpChunk('VP8X', Buffer.concat([Buffer.from([flags, 0, 0, 0]), u24le(width - 1, height - 1)]))
}

/** A frame of an animation. */
export function anmf(
  { width = 4, height = 2 }: Sides = {},
  inner: readonly Buffer[] = [vp8l({ width, height })],
): Buffer {
  return webpChunk('ANMF', Buffer.concat([u24le(0, 0, width - 1, height - 1, 100), Buffer.from([0]), ...inner]))
}

export const ANIM = webpChunk('ANIM', Buffer.alloc(6))

/** Bytes in the blocks that a GIF has them in. */
function gifBlocks(...blocks: (Buffer | string)[]): Buffer {
  const all = blocks.map((block) => Buffer.from(block as string, 'latin1'))
  return Buffer.concat([...all.flatMap((block) => [Buffer.from([block.length]), block]), Buffer.from([0])])
}

export const gifExtension = (label: number, ...blocks: (Buffer | string)[]): Buffer =>
  Buffer.concat([Buffer.from([0x21, label]), gifBlocks(...blocks)])

export const gifFrame = ({ width = 2, height = 1, x = 0 }: Sides & { x?: number } = {}): Buffer =>
  Buffer.concat([
    Buffer.from([0x2c]),
    u16le(x, 0, width, height),
    Buffer.from([0, 2]),
    gifBlocks(Buffer.from([0x4c, 0x01])),
  ])

interface Gif extends Sides {
  parts?: readonly Buffer[]
  tail?: string
}

export function smallGif({ width = 2, height = 1, parts = [gifFrame()], tail = '' }: Gif = {}): Buffer {
  return Buffer.concat([
    Buffer.from('GIF89a'),
    u16le(width, height),
    Buffer.from([0x80, 0, 0, 0, 0, 0, 255, 255, 255]),
    ...parts,
    Buffer.from([0x3b]),
    Buffer.from(tail),
  ])
}

/** The body and the headers of a form with one file. */
export function formWith(name: string, type: string, bytes: Buffer) {
  const head = `--x\r\nContent-Disposition: form-data; name="file"; filename="${name}"\r\nContent-Type: ${type}\r\n\r\n`
  const body = Buffer.concat([Buffer.from(head), bytes, Buffer.from('\r\n--x--\r\n')])
  return { body, headers: { 'content-type': 'multipart/form-data; boundary=x' } }
}
