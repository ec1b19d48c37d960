import { deflateSync } from 'node:zlib'
import { expect } from 'chai'
import { PNG } from 'pngjs'
import { makeIcons } from '../../../../src/domain/gateways/safari/icons.ts'
import { PictureError, readPng, square, squarePng } from '../../../../src/domain/gateways/safari/picture.ts'
import { makePng } from './website.ts'

const MOST = 1024 * 1024
const pixel = (data: Uint8Array, width: number, x: number, y: number) => [
  ...data.subarray((y * width + x) * 4, (y * width + x) * 4 + 4),
]

async function refusal(bytes: Buffer, most = MOST): Promise<string> {
  try {
    await readPng(bytes, most)
  } catch (error) {
    if (error instanceof PictureError) return error.message
    throw error
  }
  return ''
}

/** 4 × 4 pixels in grey with Adam7 (PNG specification 8.2): 1, 1, 1, 2, 4 and 8 pixels in six passes that are not empty. */
function interlaced(rows: number[][]): Buffer {
  return png({ width: 4, height: 4, type: 0, interlace: 1 }, Buffer.from(rows.flatMap((row) => [0, ...row])))
}

function png(
  { width, height, type = 6, interlace = 0 }: { width: number; height: number; type?: number; interlace?: number },
  raw: Buffer,
) {
  const header = Buffer.alloc(13)
  header.writeUInt32BE(width, 0)
  header.writeUInt32BE(height, 4)
  header.set([8, type, 0, 0, interlace], 8)
  const magic = Buffer.from('89504e470d0a1a0a', 'hex')
  return Buffer.concat([magic, chunk('IHDR', header), chunk('IDAT', deflateSync(raw)), chunk('IEND', Buffer.alloc(0))])
}

function chunk(type: string, data: Buffer): Buffer {
  const whole = Buffer.concat([Buffer.alloc(4), Buffer.from(type), data, Buffer.alloc(4)])
  whole.writeUInt32BE(data.length, 0)
  whole.writeUInt32BE(crc(whole.subarray(4, -4)), whole.length - 4)
  return whole
}

function crc(bytes: Buffer): number {
  let value = 0xffffffff
  for (const byte of bytes) {
    value ^= byte
    for (let i = 0; i < 8; i++) value = value & 1 ? (value >>> 1) ^ 0xedb88320 : value >>> 1
  }
  return ~value >>> 0
}

describe('an icon', () => {
  it('is halved by the mean of what each pixel covers', async () => {
    const half = square(await readPng(makePng(6, 6), MOST), 3)
    expect(pixel(half.data, 3, 0, 1)).to.deep.equal([255, 0, 0, 255])
    expect(pixel(half.data, 3, 1, 1)).to.deep.equal([128, 0, 128, 255])
    expect(pixel(half.data, 3, 2, 1)).to.deep.equal([0, 0, 255, 255])
  })

  it('is not coloured by what cannot be seen', async () => {
    // Clear pixels of the picture are green.
    const half = square(
      await readPng(
        makePng(4, 4, (x) => x === 0),
        MOST,
      ),
      2,
    )
    expect(pixel(half.data, 2, 0, 0)).to.deep.equal([255, 0, 0, 128])
  })

  it('that is not square gets clear margins', async () => {
    const { data } = square(await readPng(makePng(8, 4), MOST), 8)
    expect(pixel(data, 8, 0, 1)).to.deep.equal([0, 0, 0, 0])
    expect(pixel(data, 8, 0, 2)).to.deep.equal([255, 0, 0, 255])
    expect(pixel(data, 8, 7, 6)).to.deep.equal([0, 0, 0, 0])
  })

  it('that is small is blown up smoothly', async () => {
    const { data } = square(await readPng(makePng(2, 2), MOST), 4)
    expect([0, 1, 2, 3].map((x) => pixel(data, 4, x, 0)[0])).to.deep.equal([255, 191, 64, 0])
  })

  it('of one pixel in height is still one', async () => {
    expect(square(await readPng(makePng(1000, 1), MOST), 16).data.some((value) => value > 0)).to.equal(true)
  })

  it('is made in the six sizes of a push package', async () => {
    const { files } = await makeIcons(makePng(300, 300))
    const sizes = [...files].map(([name, bytes]) => [
      name.replace('icon.iconset/icon_', ''),
      PNG.sync.read(bytes).width,
    ])
    expect(Object.fromEntries(sizes)).to.deep.equal({
      '16x16.png': 16,
      '16x16@2x.png': 32,
      '32x32.png': 32,
      '32x32@2x.png': 64,
      '128x128.png': 128,
      '128x128@2x.png': 256,
    })
  })

  it('may be interlaced, in grey, in 16 bits or with a palette', async () => {
    const grey = interlaced([[9], [8], [7, 6], [5, 4], [3, 2], [1, 1, 1, 1], [1, 1, 1, 1]])
    expect((await readPng(grey, MOST)).data[0]).to.equal(9)
    for (const options of [{ colorType: 0 }, { colorType: 2 }, { bitDepth: 16 }] as const) {
      const bytes = PNG.sync.write(PNG.sync.read(makePng(5, 5)), options)
      expect((await readPng(bytes, MOST)).data).to.have.length(100)
    }
  })

  const good = makePng(16, 16)
  const rows: [string, Buffer, RegExp][] = [
    ['nothing', Buffer.alloc(0), /is not a PNG file/],
    ['a web page', Buffer.from('<!doctype html><title>404</title>'.repeat(9)), /is not a PNG file/],
    ['half a PNG', good.subarray(0, good.length / 2), /is damaged/],
    ['a header alone', good.subarray(0, 33), /is damaged/],
    ['no end', good.subarray(0, good.length - 12), /cut short/],
    ['no pixels', png({ width: 0, height: 5 }, Buffer.alloc(0)), /header is wrong/],
    ['more pixels than are read', png({ width: 60_000, height: 60_000 }, Buffer.alloc(9)), /60000 × 60000 pixels/],
    ['more data than it names (a bomb)', png({ width: 4, height: 4 }, Buffer.alloc(20_000_000)), /does not decompress/],
    ['an interlaced bomb', png({ width: 4, height: 4, interlace: 1 }, Buffer.alloc(20_000_000)), /does not decompress/],
    ['less data than it names', png({ width: 40, height: 40 }, Buffer.alloc(100)), /cut short/],
    ['an unknown filter', png({ width: 2, height: 1 }, Buffer.alloc(9, 9)), /is damaged/],
  ]
  for (const [what, bytes, message] of rows) {
    it(`with ${what} is refused`, async () => {
      expect(await refusal(bytes)).to.match(message)
    })
  }

  it('that is damaged anywhere is read or refused, and never more than that', async () => {
    for (let at = 0; at < good.length; at++) {
      const bytes = Buffer.from(good)
      bytes[at] = bytes[at]! ^ 0x5a
      await refusal(bytes)
    }
    for (let length = 0; length < good.length; length++)
      expect(await refusal(good.subarray(0, length))).not.to.equal('')
  })

  it('is what was measured, whatever else the file holds', async () => {
    const large = png({ width: 60_000, height: 60_000 }, Buffer.alloc(0)).subarray(8, 33)
    const second = chunk('IDAT', deflateSync(Buffer.alloc(20_000_000)))
    const end = good.length - 12
    for (const more of [large, second, chunk('zTXt', second), chunk('ABCD', Buffer.alloc(9))]) {
      const bytes = Buffer.concat([good.subarray(0, end), more, good.subarray(end), Buffer.alloc(50)])
      expect((await readPng(bytes, MOST)).data).to.have.length(16 * 16 * 4)
    }
  })

  it('comes out as a PNG that others read', async () => {
    expect(PNG.sync.read(squarePng(await readPng(good, MOST), 8)).width).to.equal(8)
  })
})
