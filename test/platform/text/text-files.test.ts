import { expect } from 'chai'
import { hasLoneCr } from '../../../src/platform/text/text-files.ts'

describe('a carriage return of its own', () => {
  const texts: [string, string, boolean][] = [
    ['between lines', 'a\rb', true],
    ['before a CRLF', 'a\r\r\nb', true],
    ['at the beginning', '\rb', true],
    ['not in a CRLF', 'a\r\nb\r\n', false],
    ['not at the very end, where its line feed may still come', 'a\r\nb\r', false],
    ['not alone', '\r', false],
    ['not where there is none', 'ab\n', false],
  ]
  for (const [what, text, has] of texts) {
    it(`is seen ${what}`, () => {
      expect(hasLoneCr(Buffer.from(text))).to.equal(has)
    })
  }
})
