import { gzipSync } from 'node:zlib'
import { expect } from 'chai'
import { partOf, readReport, readReports, unfold } from '../../../src/domain/crashes/upload.ts'
import { isAppError } from '../../../src/platform/errors.ts'

/** The boundary in the code of KSCrash. */
const BOUNDARY = 'uyw$gHGJ[fsR}tt932_shGwqdbanbvVMJje%Y2ewy78'
const TYPE = `multipart/form-data; boundary=${BOUNDARY}`
const part = (content: string, head = 'Content-Disposition: form-data; name="reports"; filename="reports.json"') =>
  `--${BOUNDARY}\r\n${head}\r\nContent-Type: application/json\r\n\r\n${content}\r\n`
const END = `--${BOUNDARY}--\r\n`

describe('an upload of KSCrash', () => {
  for (const [what, body, type, expected] of [
    ['the form', part('[{"a":1},{"b":2}]') + END, TYPE, [{ a: 1 }, { b: 2 }]],
    ['a quoted boundary', part('[]') + END, `Multipart/Form-Data; charset=utf-8; BOUNDARY="${BOUNDARY}"`, []],
    [
      'a form with another part before',
      part('json', 'content-disposition: form-data; name=encoding') + part('[7]') + END,
      TYPE,
      [7],
    ],
    [
      'parts without a line end between them',
      part('json', 'Content-Disposition: form-data; name="encoding"').slice(0, -2) + part('[7]') + END,
      TYPE,
      [7],
    ],
    ['one part of another name', part('[7]', 'Content-Disposition: form-data; name="file"') + END, TYPE, [7]],
    ['a form that is cut off', part('[7]').slice(0, -2), TYPE, [7]],
    ['the array itself', '[7]', 'application/json', [7]],
    ['one report', '{"a":1}', '', [{ a: 1 }]],
    ['text', 'boom', 'text/plain', [{ text: 'boom' }]],
    ['nothing', '', '', []],
    ['a form without parts', END, TYPE, [{ text: END }]],
    [
      'many reports, of which the last are looked at',
      JSON.stringify(Array.from({ length: 30 }, (_, i) => i)),
      '',
      Array.from({ length: 20 }, (_, i) => i + 10),
    ],
  ] as [string, string, string, unknown[]][]) {
    it(`can be ${what}`, () => {
      expect(readReports(Buffer.from(body), type)).to.deep.equal(expected)
    })
  }

  it('is not searched without a boundary', () => {
    expect(partOf(Buffer.from(part('[]')), 'multipart/form-data', 'reports')).to.equal(undefined)
  })
})

describe('a crash report', () => {
  it('that is no JSON, or too deep, is kept as text', () => {
    expect(readReport(Buffer.from('{"a":'))).to.deep.equal({ text: '{"a":' })
    expect(readReport(Buffer.from([0xff, 0x41]))).to.deep.equal({ text: '\ufffdA' })
    const deep = '['.repeat(100_000)
    expect(readReport(Buffer.from(deep))).to.deep.equal({ text: deep })
  })

  it('may come in gzip, but not as a bomb and not otherwise', async () => {
    const packed = gzipSync(Buffer.from('{}'))
    for (const encoding of ['gzip', 'X-GZIP'])
      expect(String(await unfold(packed, encoding, { limit: 10 }))).to.equal('{}')
    expect(String(await unfold(Buffer.from('{}'), 'gzip', { limit: 10 }))).to.equal('{}')
    expect(String(await unfold(Buffer.from('{}'), '', { limit: 10 }))).to.equal('{}')
    const codes = await Promise.all(
      [unfold(gzipSync(Buffer.alloc(100_000)), 'gzip', { limit: 1000 }), unfold(packed, 'br', { limit: 10 })].map(
        (one) =>
          one.then(
            () => 'taken',
            (error: unknown) => isAppError(error) && error.code,
          ),
      ),
    )
    expect(codes).to.deep.equal(['too_large', 'unsupported_media'])
  })
})
