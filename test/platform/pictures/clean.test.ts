import { expect } from 'chai'
import { cleanPicture } from '../../../src/platform/pictures/clean.ts'
import { PICTURE_BOUNDS, PictureProblem } from '../../../src/platform/pictures/types.ts'
import { chance, seedOf } from '../../support/chance.ts'
import { many } from '../../support/depth.ts'
import {
  ANIM,
  anmf,
  exif,
  gifExtension,
  gifFrame,
  jpegSegment,
  PNG_SIGNATURE,
  pngChunk,
  pngHead,
  riff,
  smallGif,
  smallJpeg,
  smallPng,
  vp8,
  vp8l,
  vp8x,
  webpChunk,
} from '../../support/pictures.ts'

const SECRET = 'Mitte 52.52N'
const SCRIPT = '<script>alert(1)</script>'
const loop = gifExtension(0xff, 'NETSCAPE2.0', Buffer.from([1, 0, 0]))
const control = gifExtension(0xf9, Buffer.from([0, 10, 0, 0]))

/** Files with what is not needed to show them, and what must come out. */
const CLEANED: readonly (readonly [what: string, dirty: Buffer, clean: Buffer])[] = [
  [
    'texts, times and unknown chunks of a PNG',
    smallPng({ before: [pngChunk('tEXt', SECRET), pngChunk('tIME', SECRET), pngChunk('zzZz', SECRET)] }),
    smallPng(),
  ],
  ['the EXIF of an upright PNG', smallPng({ before: [pngChunk('eXIf', exif(1))] }), smallPng()],
  ['what follows a PNG', smallPng({ tail: SCRIPT }), smallPng()],
  [
    'EXIF, XMP and comments of a JPEG',
    smallJpeg({
      before: [
        jpegSegment(0xe1, `Exif\0\0${exif(1).toString('latin1')}`),
        jpegSegment(0xe1, `http://ns.adobe.com/xap/1.0/\0${SECRET}`),
        jpegSegment(0xfe, SECRET),
        jpegSegment(0xed, SECRET),
      ],
    }),
    smallJpeg(),
  ],
  ['what follows a JPEG', smallJpeg({ tail: `\0\0\0\x18ftypmp42${SECRET}` }), smallJpeg()],
  [
    'the preview of a JPEG',
    smallJpeg({
      before: [
        jpegSegment(
          0xe0,
          Buffer.concat([Buffer.from('JFIF\0\x01\x01\0\0\x01\0\x01\x01\x01', 'latin1'), Buffer.from('abc')]),
        ),
      ],
    }),
    smallJpeg({ before: [jpegSegment(0xe0, 'JFIF\0\x01\x01\0\0\x01\0\x01\0\0')] }),
  ],
  [
    'EXIF and XMP of a WebP',
    riff([vp8x(0x0c), vp8l(), webpChunk('EXIF', exif(1)), webpChunk('XMP ', SECRET), webpChunk('ZZZZ', SECRET)]),
    riff([vp8x(0), vp8l()]),
  ],
  ['what follows a WebP', Buffer.concat([riff([vp8l()]), Buffer.from(SCRIPT)]), riff([vp8l()])],
  ['a chunk behind a simple WebP', riff([vp8(), webpChunk('EXIF', exif(1))]), riff([vp8()])],
  [
    'unknown chunks in a frame of a WebP',
    riff([vp8x(2), ANIM, anmf({}, [vp8l(), webpChunk('ZZZZ', SECRET)])]),
    riff([vp8x(2), ANIM, anmf()]),
  ],
  [
    'comments, texts and data of applications of a GIF',
    smallGif({
      parts: [
        gifExtension(0xfe, SECRET),
        gifExtension(0xff, 'XMP DataXMP', SECRET),
        gifExtension(0x01, SECRET),
        loop,
        control,
        gifFrame(),
      ],
    }),
    smallGif({ parts: [loop, control, gifFrame()] }),
  ],
  ['what follows a GIF', smallGif({ tail: SCRIPT }), smallGif()],
]

/** Whole pictures, with what is known of them. */
const KEPT: readonly (readonly [what: string, file: Buffer, known: object])[] = [
  ['a PNG', smallPng({ width: 3, height: 2 }), { kind: 'png', width: 3, height: 2, frames: 1 }],
  [
    'a PNG with its colours',
    smallPng({ before: [pngChunk('gAMA', 'abcd'), pngChunk('iCCP', 'p\0\0abc')] }),
    { kind: 'png' },
  ],
  ['a JPEG', smallJpeg(), { kind: 'jpeg', width: 8, height: 4, frames: 1 }],
  ['a progressive JPEG', smallJpeg({ frame: 0xc2 }), { kind: 'jpeg' }],
  [
    'a grey JPEG with its colours',
    smallJpeg({
      components: 1,
      before: [jpegSegment(0xe2, 'ICC_PROFILE\0\x01\x01p'), jpegSegment(0xee, 'Adobe\0d\0\0\0\0\x01')],
    }),
    { kind: 'jpeg' },
  ],
  ['a WebP', riff([vp8()]), { kind: 'webp', width: 4, height: 2, frames: 1 }],
  ['a transparent WebP', riff([vp8x(0x10), webpChunk('ALPH', 'a'), vp8()]), { kind: 'webp', frames: 1 }],
  [
    'an animated WebP',
    riff([vp8x(0x22), webpChunk('ICCP', 'profile'), ANIM, anmf(), anmf({ width: 2, height: 2 })]),
    { kind: 'webp', width: 4, height: 2, frames: 2 },
  ],
  [
    'an animated GIF',
    smallGif({ parts: [loop, control, gifFrame(), control, gifFrame({ width: 1 })] }),
    { kind: 'gif', width: 2, height: 1, frames: 2 },
  ],
]

const side = PICTURE_BOUNDS.side + 1

const REFUSED: readonly (readonly [what: string, file: Buffer, why: RegExp])[] = [
  ['an empty file', Buffer.alloc(0), /^is empty$/],
  ['a page', Buffer.from(`<!doctype html>${SCRIPT}`), /^is no PNG, JPEG, WebP or GIF$/],
  ['an SVG', Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>'), /SVG/],
  ['a HEIC', Buffer.from('\0\0\0\x18ftypheic\0\0\0\0', 'latin1'), /HEIC photo.*JPEG/],
  ['an AVIF', Buffer.from('\0\0\0\x18ftypavif\0\0\0\0', 'latin1'), /AVIF/],
  ['the signature of a PNG alone', PNG_SIGNATURE, /ends too early/],
  [
    'a PNG that does not begin with its head',
    Buffer.concat([PNG_SIGNATURE, pngChunk('tEXt', 'a')]),
    /does not begin with its head/,
  ],
  ['a PNG without pixels', Buffer.concat([PNG_SIGNATURE, pngHead(), pngChunk('IEND')]), /without pixels/],
  ['a PNG with a wrong checksum', flipped(smallPng(), 30), /checksum/],
  ['a PNG with a lying length', withUInt32(smallPng(), 33, 0xffffffff), /ends too early/],
  [
    'a PNG of too many parts',
    smallPng({ before: manyParts(pngChunk('zzZz')) }),
    /has more than 20000 parts: save it anew/,
  ],
  [
    'a WebP of too many parts',
    riff([vp8x(0), ...manyParts(webpChunk('ABCD', '')), vp8()]),
    /has more than 20000 parts/,
  ],
  ['a PNG of no width', smallPng({ width: 0 }), /no pixels/],
  [
    'a PNG that is too wide',
    Buffer.concat([PNG_SIGNATURE, pngHead({ width: side }), pngChunk('IDAT'), pngChunk('IEND')]),
    /4097 × 1 pixels; at most 4096 × 4096/,
  ],
  [
    'a PNG of billions of pixels',
    Buffer.concat([
      PNG_SIGNATURE,
      pngHead({ width: 0x7fffffff, height: 0x7fffffff }),
      pngChunk('IDAT'),
      pngChunk('IEND'),
    ]),
    /make it smaller/,
  ],
  ['an animated PNG', smallPng({ before: [pngChunk('acTL', Buffer.alloc(8))] }), /animated PNG.*GIF or WebP/],
  ['a PNG with an unknown part that is needed', smallPng({ before: [pngChunk('ZZzZ', 'a')] }), /unknown part ZZzZ/],
  ['a PNG with two heads', smallPng({ before: [pngHead()] }), /unknown part IHDR/],
  ['a JPEG without its end', smallJpeg().subarray(0, -2), /ends too early/],
  ['a JPEG without pixels', Buffer.from([0xff, 0xd8, 0xff, 0xd9]), /without pixels/],
  ['a JPEG with a segment of no length', smallJpeg({ before: [Buffer.from([0xff, 0xfe, 0, 1])] }), /no length/],
  ['a JPEG with a lying length', smallJpeg({ before: [Buffer.from([0xff, 0xfe, 0xff, 0xff])] }), /ends too early/],
  [
    'a JPEG with two pictures',
    smallJpeg({ before: [jpegSegment(0xc0, Buffer.from([8, 0, 1, 0, 1, 1, 1, 0x11, 0]))] }),
    /two pictures/,
  ],
  ['a JPEG of print', smallJpeg({ components: 4 }), /CMYK.*RGB/],
  ['a lossless JPEG', smallJpeg({ frame: 0xc3 }), /rare form/],
  ['a JPEG that is too high', smallJpeg({ height: side }), /8 × 4097/],
  ['a JPEG of no height', smallJpeg({ height: 0 }), /no pixels/],
  [
    'a JPEG with very many scans',
    Buffer.concat([
      smallJpeg().subarray(0, -2),
      ...Array.from({ length: 100 }, () => jpegSegment(0xda, Buffer.from([1, 1, 0, 0, 63, 0]))),
      Buffer.from([0xff, 0xd9]),
    ]),
    /more than 100 scans/,
  ],
  ['a WebP that is not whole', riff([vp8l()], 4000), /ends too early/],
  ['a WebP with a lying chunk', withUInt32(riff([vp8l()]), 16, 4000, true), /ends too early/],
  ['a WebP of nothing', riff([]), /does not begin with its picture/],
  ['a WebP of another kind', riff([webpChunk('ZZZZ', 'a')]), /does not begin with its picture/],
  [
    'a WebP whose picture is larger than its canvas',
    riff([vp8x(0), vp8l({ width: 16_000, height: 16_000 })]),
    /two different sizes/,
  ],
  [
    'a WebP whose frame is larger than it says',
    riff([vp8x(2), ANIM, anmf({}, [vp8l({ width: 16_000 })])]),
    /two different sizes/,
  ],
  ['a WebP with a frame outside', riff([vp8x(2), ANIM, anmf({ width: 5 })]), /outside/],
  ['a WebP with a frame of nothing', riff([vp8x(2), ANIM, anmf({}, [])]), /a frame has no picture/],
  ['an animated WebP without frames', riff([vp8x(2), ANIM]), /no picture/],
  ['a WebP with two pictures', riff([vp8x(0), vp8l(), vp8l()]), /more than one/],
  ['a WebP that is too wide', riff([vp8({ width: side })]), /4097 × 2/],
  ['a GIF without its end', smallGif().subarray(0, -1), /ends too early/],
  ['a GIF without frames', smallGif({ parts: [] }), /without pixels/],
  ['a GIF of an unknown part', smallGif({ parts: [Buffer.from([0x77])] }), /a part of it is unknown/],
  ['a GIF with a frame outside', smallGif({ parts: [gifFrame({ x: 1 })] }), /outside/],
  ['a GIF with a wrong control', smallGif({ parts: [gifExtension(0xf9, 'toolong'), gifFrame()] }), /cannot be read/],
  [
    'a GIF of very many frames',
    smallGif({ parts: Array.from({ length: 601 }, () => gifFrame()) }),
    /more than 600 frames/,
  ],
  [
    'a GIF of very many pixels',
    smallGif({
      width: 4096,
      height: 4096,
      parts: Array.from({ length: 9 }, () => gifFrame({ width: 4096, height: 4096 })),
    }),
    /pixels in all its frames/,
  ],
]

function flipped(file: Buffer, at: number): Buffer {
  const other = Buffer.from(file)
  other[at]! ^= 0xff
  return other
}

function withUInt32(file: Buffer, at: number, value: number, isLittle = false): Buffer {
  const other = Buffer.from(file)
  if (isLittle) other.writeUInt32LE(value, at)
  else other.writeUInt32BE(value, at)
  return other
}

/** Repeats a part that costs next to nothing, so often that the file has too many with the parts that a picture needs. */
function manyParts(part: Buffer): Buffer[] {
  return Array.from({ length: PICTURE_BOUNDS.chunks }, () => part)
}

const orientedPng = (orientation: number) =>
  smallPng({ width: 3, height: 2, before: [pngChunk('eXIf', exif(orientation))] })
const orientedJpeg = (orientation: number) =>
  smallJpeg({ before: [jpegSegment(0xe1, `Exif\0\0${exif(orientation).toString('latin1')}`)] })
const orientedWebp = (orientation: number) => riff([vp8x(8), vp8l(), webpChunk('EXIF', exif(orientation))])

describe('a picture', () => {
  for (const [what, dirty, clean] of CLEANED) {
    it(`loses ${what}, and nothing else`, () => {
      const { bytes } = cleanPicture(dirty)
      expect(bytes.equals(clean), bytes.toString('latin1')).to.equal(true)
    })
  }

  for (const [what, file, known] of KEPT) {
    it(`stays as it is: ${what}`, () => {
      const { bytes, ...found } = cleanPicture(file)
      expect(bytes.equals(file)).to.equal(true)
      expect(found).to.include(known)
    })
  }

  for (const [what, file, why] of REFUSED) {
    it(`is not ${what}`, () => {
      expect(() => cleanPicture(file)).to.throw(PictureProblem, why)
    })
  }

  for (const [kind, made] of [
    ['PNG', orientedPng],
    ['JPEG', orientedJpeg],
    ['WebP', orientedWebp],
  ] as const) {
    it(`keeps how a ${kind} is turned, without the place beside it`, () => {
      const upright = cleanPicture(made(1))
      const turned = cleanPicture(made(6))
      expect([turned.width, turned.height]).to.deep.equal([upright.height, upright.width])
      expect(turned.bytes.includes(SECRET)).to.equal(false)
      // What comes out goes in again, and stays.
      expect(cleanPicture(turned.bytes)).to.deep.equal(turned)
      expect(cleanPicture(made(9)).bytes.equals(upright.bytes)).to.equal(true)
    })
  }

  it('stays as it is when its pixels are a million stuffed bytes', () => {
    const [head, end] = [smallJpeg().subarray(0, -2), smallJpeg().subarray(-2)]
    const file = Buffer.concat([head, Buffer.alloc(2_000_000, Buffer.from([0xff, 0x00])), end])
    expect(cleanPicture(file).bytes.equals(file)).to.equal(true)
  })

  it('never keeps what is cut off, and refuses it in a sentence', () => {
    for (const file of [orientedPng(6), orientedJpeg(6), orientedWebp(6), ...KEPT.map(([, kept]) => kept)]) {
      for (let length = 0; length < file.length; length++) {
        expect(() => cleanPicture(file.subarray(0, length)), `${length} of ${file.length}`).to.throw(PictureProblem)
      }
    }
  })

  it('survives any wrong byte: it is refused in a sentence, or what comes out is clean and goes in again', () => {
    const seed = seedOf(29)
    const upTo = chance(seed)
    const files = [orientedPng(3), orientedJpeg(8), orientedWebp(5), ...CLEANED.map(([, dirty]) => dirty)]
    for (let i = 0; i < many(4000, { long: 400_000 }); i++) {
      const file = Buffer.from(files[i % files.length]!)
      for (let changes = 1 + (i % 3); changes > 0; changes--) {
        file[upTo(file.length)] = upTo(256)
      }
      let clean: ReturnType<typeof cleanPicture>
      try {
        clean = cleanPicture(file)
      } catch (error) {
        expect(error, `seed ${seed}, file ${i}`).to.be.instanceOf(PictureProblem)
        continue
      }
      expect(clean.bytes.length).to.be.at.most(file.length + 64)
      expect(cleanPicture(clean.bytes), `seed ${seed}, file ${i}`).to.deep.equal(clean)
    }
  })
})
