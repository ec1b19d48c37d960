import { promisify } from 'node:util'
import { crc32, deflateSync, inflate } from 'node:zlib'
import { PNG } from 'pngjs'

/** A picture in memory: four bytes a pixel (red, green, blue, opacity), row by row. */
export interface Picture {
  width: number
  height: number
  data: Uint8Array
}

/** A problem with the file, worded for people. */
export class PictureError extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'PictureError'
  }
}

interface Header {
  width: number
  height: number
  bitsPerPixel: number
  isInterlaced: boolean
}

const SIGNATURE = Buffer.from('89504e470d0a1a0a', 'hex')
const HEADER_END = 33
const NOTHING = Buffer.alloc(0)
/** Samples of a pixel by colour type (PNG specification, table 11.1). */
const SAMPLES: Record<number, number> = { 0: 1, 2: 3, 3: 1, 4: 2, 6: 4 }
/** First column and row, and the steps, of the seven passes of an interlaced picture (PNG specification, 8.2). */
const PASSES = [
  [0, 0, 8, 8],
  [4, 0, 8, 8],
  [0, 4, 4, 8],
  [2, 0, 4, 4],
  [0, 2, 2, 4],
  [1, 0, 2, 2],
  [0, 1, 1, 2],
] as const
const unfold = promisify(inflate)

/** Width and height from the first bytes of a PNG file. Throws `PictureError` if it is not a PNG. */
export function sizeOfPng(bytes: Buffer): { width: number; height: number } {
  const { width, height } = readHeader(bytes)
  return { width, height }
}

/**
 * Reads a PNG of at most `mostPixels`. Throws `PictureError` for anything else. A file states its size and may lie, so
 * decompression is measured and stopped when it exceeds the stated size, before the picture is decoded.
 */
export async function readPng(bytes: Buffer, mostPixels: number): Promise<Picture> {
  const header = readHeader(bytes)
  const { width, height } = header
  if (width * height > mostPixels) {
    throw new PictureError(`has ${width} × ${height} pixels: the maximum is ${mostPixels} in total`)
  }
  const expected = unfoldedBytes(header)
  const chunks = chunksOf(bytes)
  let unfolded: Buffer
  try {
    const folded = chunks.filter(({ type }) => type === 'IDAT').map(({ data }) => data)
    unfolded = await unfold(Buffer.concat(folded), { maxOutputLength: expected })
  } catch {
    throw new PictureError('is damaged: its data does not decompress to the stated size')
  }
  if (unfolded.length !== expected) throw new PictureError('is damaged: its picture is cut short')
  try {
    const { data } = PNG.sync.read(plainPng(chunks, unfolded))
    return { width, height, data }
  } catch (error) {
    throw new PictureError(`is damaged: ${error instanceof Error ? error.message : String(error)}`)
  }
}

/** The picture scaled into a square of `side` pixels, keeping its proportions, as a PNG file. */
export function squarePng(picture: Picture, side: number): Buffer {
  const png = new PNG({ width: side, height: side })
  png.data = Buffer.from(square(picture, side).data)
  return PNG.sync.write(png)
}

/**
 * Fits a picture into a square with transparent margins. Each target pixel is the mean of the source area it covers,
 * weighted by opacity, so that transparent pixels do not colour the edges; a small picture is enlarged smoothly. Pure.
 */
export function square(source: Picture, side: number): Picture {
  const scale = Math.max(source.width, source.height) / side
  const width = Math.max(1, Math.round(source.width / scale))
  const height = Math.max(1, Math.round(source.height / scale))
  const left = Math.floor((side - width) / 2)
  const top = Math.floor((side - height) / 2)
  const columns = spansOf(source.width, width)
  const rows = spansOf(source.height, height)
  const data = new Uint8Array(side * side * 4)
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      putMean(source, columns[x]!, rows[y]!, data, ((y + top) * side + x + left) * 4)
    }
  }
  return { width: side, height: side, data }
}

/** The source positions of one target position: the first, and the weight of each. */
interface Span {
  first: number
  weights: number[]
}

function spansOf(from: number, to: number): Span[] {
  return Array.from({ length: to }, (_, i) => (from > to ? areaSpan(i, from, to) : smoothSpan(i, from, to)))
}

function areaSpan(i: number, from: number, to: number): Span {
  const start = (i * from) / to
  const end = ((i + 1) * from) / to
  const first = Math.floor(start)
  const last = Math.min(from, Math.ceil(end)) - 1
  const weights: number[] = []
  for (let at = first; at <= last; at++) weights.push(Math.min(at + 1, end) - Math.max(at, start))
  return { first, weights }
}

function smoothSpan(i: number, from: number, to: number): Span {
  const centre = Math.min(Math.max(((i + 0.5) * from) / to - 0.5, 0), from - 1)
  const first = Math.floor(centre)
  const rest = centre - first
  return { first, weights: rest === 0 ? [1] : [1 - rest, rest] }
}

function putMean({ width, data }: Picture, column: Span, row: Span, target: Uint8Array, at: number): void {
  let red = 0
  let green = 0
  let blue = 0
  let opacity = 0
  let area = 0
  for (const [j, height] of row.weights.entries()) {
    let pixel = ((row.first + j) * width + column.first) * 4
    for (const across of column.weights) {
      const weight = height * across
      const visible = weight * data[pixel + 3]!
      red += visible * data[pixel]!
      green += visible * data[pixel + 1]!
      blue += visible * data[pixel + 2]!
      opacity += visible
      area += weight
      pixel += 4
    }
  }
  if (opacity === 0) return
  target[at] = Math.round(red / opacity)
  target[at + 1] = Math.round(green / opacity)
  target[at + 2] = Math.round(blue / opacity)
  target[at + 3] = Math.round(opacity / area)
}

function readHeader(bytes: Buffer): Header {
  const isPng = bytes.length >= HEADER_END && bytes.subarray(0, 8).equals(SIGNATURE)
  if (!isPng || bytes.readUInt32BE(8) !== 13 || bytes.toString('latin1', 12, 16) !== 'IHDR') {
    throw new PictureError('is not a PNG file')
  }
  const width = bytes.readUInt32BE(16)
  const height = bytes.readUInt32BE(20)
  const samples = SAMPLES[bytes[25]!]
  const depth = bytes[24]!
  if (width === 0 || height === 0 || samples === undefined || ![1, 2, 4, 8, 16].includes(depth) || bytes[28]! > 1) {
    throw new PictureError('is not a PNG file: its header is wrong')
  }
  return { width, height, bitsPerPixel: samples * depth, isInterlaced: bytes[28] === 1 }
}

function unfoldedBytes({ width, height, bitsPerPixel, isInterlaced }: Header): number {
  const passes = isInterlaced ? PASSES : ([[0, 0, 1, 1]] as const)
  let total = 0
  for (const [x, y, acrossStep, downStep] of passes) {
    const across = Math.ceil((width - x) / acrossStep)
    const down = Math.ceil((height - y) / downStep)
    // Each row begins with a byte that names its filter.
    if (across > 0 && down > 0) total += down * (1 + Math.ceil((across * bitsPerPixel) / 8))
  }
  return total
}

interface Chunk {
  type: string
  data: Buffer
}

/** All chunks before IEND. Throws `PictureError` if the file ends before it. */
function chunksOf(bytes: Buffer): Chunk[] {
  const chunks: Chunk[] = []
  for (let at = SIGNATURE.length; at + 12 <= bytes.length; ) {
    const start = at + 8
    const end = start + bytes.readUInt32BE(at)
    if (end + 4 > bytes.length) break
    const type = bytes.toString('latin1', at + 4, start)
    if (type === 'IEND') return chunks
    chunks.push({ type, data: bytes.subarray(start, end) })
    at = end + 4
  }
  throw new PictureError('is damaged: it is cut short')
}

/**
 * The same picture, reduced to the parts that were measured. The library would read on: a second header makes it
 * allocate that picture (gigabytes), and it would decompress a second data stream too.
 */
function plainPng(chunks: readonly Chunk[], unfolded: Buffer): Buffer {
  const first = ['IHDR', 'PLTE', 'tRNS'].flatMap((type) => chunks.find((chunk) => chunk.type === type) ?? [])
  const parts = [...first, { type: 'IDAT', data: deflateSync(unfolded, { level: 0 }) }, { type: 'IEND', data: NOTHING }]
  return Buffer.concat([SIGNATURE, ...parts.map(writeChunk)])
}

function writeChunk({ type, data }: Chunk): Buffer {
  const chunk = Buffer.alloc(data.length + 12)
  chunk.writeUInt32BE(data.length, 0)
  chunk.write(type, 4, 'latin1')
  data.copy(chunk, 8)
  chunk.writeUInt32BE(crc32(chunk.subarray(4, data.length + 8)), data.length + 8)
  return chunk
}
