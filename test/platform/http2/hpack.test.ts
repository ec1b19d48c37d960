import { expect } from 'chai'
import { ByteWriter } from '../../../src/platform/http2/byte-writer.ts'
import { HpackDecoder, HpackError } from '../../../src/platform/http2/hpack-decoder.ts'
import { HpackEncoder, writeInteger } from '../../../src/platform/http2/hpack-encoder.ts'
import { STATIC_TABLE } from '../../../src/platform/http2/hpack-static.ts'
import { decodeHuffman, encodeHuffman } from '../../../src/platform/http2/huffman.ts'
import { many } from '../../support/depth.ts'

/** RFC 7541 appendix C: blocks of one connection in order, their fields, and the table size after each. */
interface Series {
  name: string
  tableSize: number
  blocks: [hex: string, fields: string[], tableSize: number][]
}

const DATE_21 = 'Mon, 21 Oct 2013 20:13:21 GMT'
const DATE_22 = 'Mon, 21 Oct 2013 20:13:22 GMT'
const LOCATION = 'https://www.example.com'
const COOKIE = 'foo=ASDJKHQKBZXOQWEOPIUAXQWEOIU; max-age=3600; version=1'
const get = (scheme: string, path: string, ...more: string[]) => [
  ':method',
  'GET',
  ':scheme',
  scheme,
  ':path',
  path,
  ':authority',
  'www.example.com',
  ...more,
]
const requests: [string[], string[], string[]] = [
  get('http', '/'),
  get('http', '/', 'cache-control', 'no-cache'),
  get('https', '/index.html', 'custom-key', 'custom-value'),
]
const redirect = (status: string) => [
  ':status',
  status,
  'cache-control',
  'private',
  'date',
  DATE_21,
  'location',
  LOCATION,
]
const responses: [string[], string[], string[]] = [
  redirect('302'),
  redirect('307'),
  `:status|200|cache-control|private|date|${DATE_22}|location|${LOCATION}|content-encoding|gzip|set-cookie|${COOKIE}`.split(
    '|',
  ),
]

const SERIES: Series[] = [
  {
    name: 'C.2.1',
    tableSize: 4096,
    blocks: [['400a637573746f6d2d6b65790d637573746f6d2d686561646572', ['custom-key', 'custom-header'], 55]],
  },
  { name: 'C.2.2', tableSize: 4096, blocks: [['040c2f73616d706c652f70617468', [':path', '/sample/path'], 0]] },
  { name: 'C.2.3', tableSize: 4096, blocks: [['100870617373776f726406736563726574', ['password', 'secret'], 0]] },
  { name: 'C.2.4', tableSize: 4096, blocks: [['82', [':method', 'GET'], 0]] },
  {
    name: 'C.3',
    tableSize: 4096,
    blocks: [
      ['828684410f7777772e6578616d706c652e636f6d', requests[0], 57],
      ['828684be58086e6f2d6361636865', requests[1], 110],
      ['828785bf400a637573746f6d2d6b65790c637573746f6d2d76616c7565', requests[2], 164],
    ],
  },
  {
    name: 'C.4',
    tableSize: 4096,
    blocks: [
      ['828684418cf1e3c2e5f23a6ba0ab90f4ff', requests[0], 57],
      ['828684be5886a8eb10649cbf', requests[1], 110],
      ['828785bf408825a849e95ba97d7f8925a849e95bb8e8b4bf', requests[2], 164],
    ],
  },
  {
    name: 'C.5',
    tableSize: 256,
    blocks: [
      [
        '4803333032580770726976617465611d4d6f6e2c203231204f637420323031332032303a31333a323120474d546e1768747470733a2f2f' +
          '7777772e6578616d706c652e636f6d',
        responses[0],
        222,
      ],
      ['4803333037c1c0bf', responses[1], 222],
      [
        '88c1611d4d6f6e2c203231204f637420323031332032303a31333a323220474d54c05a04677a69707738666f6f3d4153444a4b48514b42' +
          '5a584f5157454f50495541585157454f49553b206d61782d6167653d333630303b2076657273696f6e3d31',
        responses[2],
        215,
      ],
    ],
  },
  {
    name: 'C.6',
    tableSize: 256,
    blocks: [
      [
        '488264025885aec3771a4b6196d07abe941054d444a8200595040b8166e082a62d1bff6e919d29ad171863c78f0b97c8e9ae82ae43d3',
        responses[0],
        222,
      ],
      ['4883640effc1c0bf', responses[1], 222],
      [
        '88c16196d07abe941054d444a8200595040b8166e084a62d1bffc05a839bd9ab77ad94e7821dd7f2e6c7b335dfdfcd5b3960d5af27087f' +
          '3672c1ab270fb5291f9587316065c003ed4ee5b1063d5007',
        responses[2],
        215,
      ],
    ],
  },
]

const hex = (text: string) => Buffer.from(text.replaceAll(' ', ''), 'hex')
const decode = (decoder: HpackDecoder, bytes: Buffer) => decoder.decode(bytes, 0, bytes.length)
const decoderOf = (tableSize = 4096, listSize = 65_536) => new HpackDecoder(tableSize, listSize)

function encode(encoder: HpackEncoder, fields: readonly (readonly [string, string])[]): Buffer {
  const out = new ByteWriter()
  encoder.begin(out)
  for (const [name, value] of fields) encoder.field(out, name, value)
  return out.take()
}

describe('HPACK integers', () => {
  const ROWS: [value: number, prefixBits: number, hex: string][] = [
    [10, 5, '0a'],
    [1337, 5, '1f9a0a'],
    [42, 8, '2a'],
    [31, 5, '1f00'],
    [2 ** 32 - 1, 7, '7f80ffffff0f'],
  ]
  for (const [value, prefixBits, wanted] of ROWS) {
    it(`${value} with a prefix of ${prefixBits} bits is ${wanted} (RFC 7541 appendix C.1)`, () => {
      const out = new ByteWriter()
      writeInteger(out, 0, prefixBits, value)
      expect(out.take().toString('hex')).to.equal(wanted)
    })
  }
})

describe('HPACK decoding', () => {
  for (const { name, tableSize, blocks } of SERIES) {
    it(`RFC 7541 appendix ${name}`, () => {
      const decoder = decoderOf(tableSize)
      for (const [block, fields, size] of blocks) {
        expect(decode(decoder, hex(block))).to.deep.equal(fields)
        expect(decoder.tableSize).to.equal(size)
      }
    })
  }

  it('the static table has the 61 entries of appendix A', () => {
    expect(STATIC_TABLE).to.have.length(61)
    expect(STATIC_TABLE[15]).to.deep.equal(['accept-encoding', 'gzip, deflate'])
    expect(STATIC_TABLE[60]).to.deep.equal(['www-authenticate', ''])
  })

  const BROKEN: [what: string, hex: string][] = [
    ['index 0', '80'],
    ['an index beyond the table', 'be'],
    ['a name index beyond the table', '7f0161'],
    ['a string cut off', '400a6375'],
    ['a block that ends before its value', '4001 61'],
    ['an integer cut off', 'ff'],
    ['an integer beyond 32 bits', 'ffffffffffff0f'],
    ['an endless integer', 'ff8080808080808000'],
    ['a table larger than allowed', '3fe21f'],
    ['a table size update after a field', '8220'],
    ['EOS inside a string', '400161 84ffffffff'],
    ['padding longer than seven bits', '400161 82 1fff'],
    ['padding of zeros', '400161 81 18'],
  ]
  for (const [what, block] of BROKEN) {
    it(`${what} is an error`, () => {
      expect(() => decode(decoderOf(), hex(block))).to.throw(HpackError)
    })
  }

  it('a table size update empties the table', () => {
    const decoder = decoderOf()
    decode(decoder, hex(SERIES[0]!.blocks[0]![0]))
    expect(decode(decoder, hex('20 3fe11f 82'))).to.deep.equal([':method', 'GET'])
    expect(decoder.tableSize).to.equal(0)
    expect(() => decode(decoder, hex('be'))).to.throw(HpackError)
  })

  it('an entry larger than the table empties it and is not kept', () => {
    const decoder = decoderOf(64)
    decode(decoder, hex('4001610162'))
    expect(decoder.tableSize).to.equal(34)
    expect(decode(decoder, Buffer.concat([hex('4001 61 28'), Buffer.alloc(40, 'x')]))).to.have.length(2)
    expect(decoder.tableSize).to.equal(0)
  })

  it('a list over the limit is cut and the table stays in step', () => {
    const decoder = decoderOf(4096, 100)
    const fields = decode(decoder, hex('4001610162 4001630164 4001650166 82'))
    expect(decoder.tooLarge).to.equal(true)
    expect(fields).to.deep.equal(['a', 'b', 'c', 'd'])
    expect(decode(decoder, hex('be'))).to.deep.equal(['e', 'f'])
    expect(decoder.tooLarge).to.equal(false)
  })
})

describe('Huffman code', () => {
  it('every byte survives coding and decoding', () => {
    const all = Buffer.from(Array.from({ length: 256 }, (_, i) => i)).toString('latin1')
    const coded = encodeHuffman(all)
    expect(decodeHuffman(coded, 0, coded.length)).to.equal(all)
    for (const one of all) {
      const coded = encodeHuffman(one)
      expect(decodeHuffman(coded, 0, coded.length)).to.equal(one)
    }
  })

  it('the codes of RFC 7541 appendix B at their edges', () => {
    expect(encodeHuffman('www.example.com').toString('hex')).to.equal('f1e3c2e5f23a6ba0ab90f4ff')
    expect(encodeHuffman(DATE_21).toString('hex')).to.equal('d07abe941054d444a8200595040b8166e082a62d1bff')
    expect(encodeHuffman('\n').toString('hex')).to.equal('fffffff3')
    expect(encodeHuffman('\xff').toString('hex')).to.equal('fffffbbf')
  })

  it('an empty string is empty', () => {
    expect(decodeHuffman(Buffer.alloc(0), 0, 0)).to.equal('')
  })
})

describe('HPACK encoding', () => {
  const FIELDS = [
    [':method', 'POST'],
    [':path', '/3/device/00'],
    ['apns-topic', 'com.example.app'],
    ['content-type', 'application/json'],
    ['authorization', 'bearer abc.def.ghi'],
  ] as const
  const flat = FIELDS.flat()

  it('constant headers are one byte each from the third request on', () => {
    const encoder = new HpackEncoder([':path', 'authorization'])
    const decoder = decoderOf()
    for (let i = 0; i < 3; i++) expect(decode(decoder, encode(encoder, FIELDS))).to.deep.equal(flat)
    expect(encode(encoder, FIELDS.slice(2, 4)).length).to.equal(2)
  })

  it('never-indexed names are literals that stay out of every table', () => {
    const encoder = new HpackEncoder([':path', 'authorization'])
    for (let i = 0; i < 4; i++) {
      const path = encode(encoder, [[':path', '/3/device/00']])
      const authorization = encode(encoder, [['authorization', 'bearer abc.def.ghi']])
      expect(path[0]! & 0xf0).to.equal(0x10)
      expect(authorization[0]! & 0xf0).to.equal(0x10)
      const decoder = decoderOf()
      expect(decode(decoder, authorization)).to.deep.equal(['authorization', 'bearer abc.def.ghi'])
      expect(decoder.tableSize).to.equal(0)
    }
  })

  it('values that change with each request do not push constant ones out', () => {
    const encoder = new HpackEncoder([])
    const decoder = decoderOf()
    for (let i = 0; i < many(100, { whole: 1000 }); i++) {
      const id = `${i}`.padStart(36, '0')
      const fields = [
        ['apns-topic', 'com.example.app'],
        ['apns-id', id],
      ] as const
      const block = encode(encoder, fields)
      expect(decode(decoder, block)).to.deep.equal(fields.flat())
      if (i > 2) expect(block.length).to.equal(1 + 2 + 1 + 36)
    }
  })

  it('more values than the table holds stay in step with the decoder', () => {
    const encoder = new HpackEncoder([])
    const decoder = decoderOf()
    // The table holds about thirty of them.
    for (let i = 0; i < many(300, { whole: 2000 }); i++) {
      const fields = [[`x-${i % 7}`, `value ${(i * 31) % 97} ${'y'.repeat(i % 150)}`]] as const
      for (let twice = 0; twice < 2; twice++) {
        expect(decode(decoder, encode(encoder, fields))).to.deep.equal(fields.flat())
      }
    }
    expect(decoder.tableSize).to.be.within(1, 4096)
  })

  it('a smaller and then a larger table of the peer are both announced', () => {
    const encoder = new HpackEncoder([])
    const decoder = decoderOf()
    for (let i = 0; i < 3; i++) decode(decoder, encode(encoder, FIELDS))
    encoder.setPeerTableSize(0)
    encoder.setPeerTableSize(100)
    const block = encode(encoder, FIELDS)
    expect(block.subarray(0, 3).toString('hex')).to.equal('203f45')
    expect(decode(decoder, block)).to.deep.equal(flat)
    for (let i = 0; i < 3; i++) expect(decode(decoder, encode(encoder, FIELDS))).to.deep.equal(flat)
    expect(decoder.tableSize).to.be.within(1, 100)
  })

  it('a table larger than 4096 bytes is not used, so nothing is announced', () => {
    const encoder = new HpackEncoder([])
    encoder.setPeerTableSize(65_536)
    expect(encode(encoder, [[':method', 'POST']]).toString('hex')).to.equal('83')
  })
})

describe('skimming the head of a 200', () => {
  const block = (encoder: HpackEncoder, fields: [string, string][]) => {
    const out = new ByteWriter()
    encoder.begin(out)
    for (const [name, value] of fields) encoder.field(out, name, value)
    return Buffer.from(out.take())
  }
  const skimmer = () => new HpackDecoder(4096, 32_768)
  const skim = (decoder: HpackDecoder, bytes: Buffer) => decoder.skim(bytes, 0, bytes.length)

  it('leaves the same table as decoding it', () => {
    const encoder = new HpackEncoder([])
    const [skims, decodes] = [skimmer(), skimmer()]
    for (let i = 0; i < 300; i++) {
      const bytes = block(encoder, [
        [':status', '200'],
        ['date', `day ${i % 7}`],
        ['apns-id', `id-${i}`],
        ['content-length', String(i % 3)],
        [`x-${i % 20}`, 'y'.repeat(i)],
      ])
      const fields = decodes.decode(bytes, 0, bytes.length)
      if (i % 2 === 0) {
        expect(skim(skims, bytes)).to.equal(undefined)
        expect(skims.contentLength).to.equal(i % 3)
      } else expect(skims.decode(bytes, 0, bytes.length)).to.deep.equal(fields)
      expect(skims.tableSize).to.equal(decodes.tableSize)
    }
  })

  it('finds a name that no reply may have, in each form', () => {
    const encoder = new HpackEncoder([])
    const decoder = skimmer()
    for (let i = 0; i < 4; i++) {
      expect(
        skim(
          decoder,
          block(encoder, [
            [':status', '200'],
            ['X-Upper', 'a'],
          ]),
        ),
        `time ${i}`,
      ).to.be.a('string')
      expect(
        skim(
          decoder,
          block(encoder, [
            [':status', '200'],
            ['fine', 'a'],
          ]),
        ),
      ).to.equal(undefined)
    }
    expect(skim(decoder, Buffer.from([0x88, 0x88])), 'a second status').to.be.a('string')
  })

  it('a block that ends too early, or names no entry, is an error', () => {
    for (const bytes of [
      [0x88, 0x0f],
      [0x88, 0x10, 0x05, 0x61],
      [0x88, 0xbe],
      [0x88, 0x80],
      [0x88, 0x20],
    ]) {
      expect(() => skim(skimmer(), Buffer.from(bytes)), String(bytes)).to.throw(HpackError)
    }
  })

  it('says when a head is larger than allowed', () => {
    const decoder = new HpackDecoder(4096, 200)
    skim(
      decoder,
      block(new HpackEncoder([]), [
        [':status', '200'],
        ['a', 'b'.repeat(200)],
      ]),
    )
    expect(decoder.tooLarge).to.equal(true)
  })
})
