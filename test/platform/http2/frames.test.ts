import { expect } from 'chai'
import { ByteWriter } from '../../../src/platform/http2/byte-writer.ts'
import {
  CODE,
  ConnectionError,
  codeName,
  FrameParser,
  writeFrameHeader,
  writeGoaway,
  writePing,
  writeReset,
  writeSettings,
  writeSettingsAck,
  writeWindowUpdate,
} from '../../../src/platform/http2/frames.ts'

function sample(): Buffer {
  const out = new ByteWriter()
  writeSettings(out, [
    [3, 100],
    [4, 65_535],
  ])
  writeSettingsAck(out)
  writeFrameHeader(out, 0, 0, 1, 2 ** 31 - 1)
  writePing(out, Buffer.from('pingpong'), false)
  writeReset(out, 5, CODE.CANCEL)
  writeWindowUpdate(out, 0, 2 ** 31 - 1)
  writeGoaway(out, 7, CODE.NO_ERROR, '{"reason":"Shutdown"}')
  return out.take()
}

function parse(...chunks: Buffer[]): string[] {
  const seen: string[] = []
  const parser = new FrameParser((type, flags, id, bytes, start, end) => {
    seen.push(`${type} ${flags} ${id} ${bytes.toString('hex', start, end)}`)
  })
  for (const chunk of chunks) parser.push(chunk)
  return seen
}

describe('HTTP/2 frames', () => {
  const WHOLE = parse(sample())

  it('are written as RFC 9113 draws them', () => {
    expect(WHOLE).to.deep.equal([
      '4 0 0 00030000006400040000ffff',
      '4 1 0 ',
      '0 1 2147483647 ',
      `6 0 0 ${Buffer.from('pingpong').toString('hex')}`,
      '3 0 5 00000008',
      '8 0 0 7fffffff',
      `7 0 0 0000000700000000${Buffer.from('{"reason":"Shutdown"}').toString('hex')}`,
    ])
  })

  it('are the same wherever the bytes are cut in two', () => {
    const bytes = sample()
    for (let at = 0; at <= bytes.length; at++) {
      expect(parse(bytes.subarray(0, at), bytes.subarray(at)), `cut at ${at}`).to.deep.equal(WHOLE)
    }
  })

  it('are the same one byte, two bytes, three bytes at a time', () => {
    const bytes = sample()
    for (const size of [1, 2, 3, 5, 8, 10]) {
      const chunks: Buffer[] = []
      for (let at = 0; at < bytes.length; at += size) chunks.push(bytes.subarray(at, at + size))
      expect(parse(...chunks)).to.deep.equal(WHOLE)
    }
  })

  it('larger than allowed are refused before their payload arrives', () => {
    for (const cut of [3, 9]) {
      const header = Buffer.from('004001000000000001', 'hex')
      expect(() => parse(header.subarray(0, cut), header.subarray(cut)))
        .to.throw(ConnectionError)
        .with.property('code', CODE.FRAME_SIZE_ERROR)
    }
  })

  it('stop coming after stop, even inside one chunk', () => {
    let seen = 0
    const parser = new FrameParser(() => {
      seen++
      parser.stop()
    })
    parser.push(sample())
    expect(seen).to.equal(1)
  })

  it('have error codes with names', () => {
    expect(codeName(11)).to.equal('ENHANCE_YOUR_CALM')
    expect(codeName(99)).to.equal('error code 99')
  })

  it('that do not fit into the slab move to the next one whole', () => {
    const out = new ByteWriter()
    const pieces: Buffer[] = []
    for (let i = 0; i < 300; i++) {
      const payload = Buffer.alloc(3000, i)
      out.reserve(payload.length)
      out.copy(payload)
      if (i % 7 === 6) pieces.push(out.take())
    }
    pieces.push(out.take())
    const all = Buffer.concat(pieces)
    expect(all.length).to.equal(900_000)
    for (let i = 0; i < 300; i++) expect(all[i * 3000 + 2999]).to.equal(i & 0xff)
  })

  it('use the slab again after a restart, unless bytes are gathered in it', () => {
    const out = new ByteWriter(16)
    out.latin1('first')
    const first = out.take()
    out.latin1('second')
    out.restart()
    expect(out.take().toString()).to.equal('second')
    expect(first.toString()).to.equal('first')
    out.restart()
    out.latin1('third')
    const third = out.take()
    expect(third.toString()).to.equal('third')
    expect(third.byteOffset).to.equal(first.byteOffset)
  })
})
