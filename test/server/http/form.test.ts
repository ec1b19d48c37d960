import { expect } from 'chai'
import { isForm, readForm } from '../../../src/server/http/form.ts'

describe('a form', () => {
  const type = 'application/x-www-form-urlencoded; charset=utf-8'
  const rows: [string, unknown][] = [
    ['', {}],
    ['a=1&b=x+y%2Bz', { a: '1', b: 'x y+z' }],
    ['os%5Bid%5D=1&os%5Bversion%5D=10.3', { os: { id: '1', version: '10.3' } }],
    ['uuids%5B%5D=a&uuids[]=b', { uuids: ['a', 'b'] }],
    ['a=1&a=2', { a: '1' }],
    ['a=1&a[b]=2&a[]=3', { a: '1' }],
    ['a[]=1&a[b]=2&a=3', { a: ['1'] }],
    ['a[b][c][d]=1&a[b][c][d][e]=2', { a: { b: { c: { d: '1' } } } }],
    ['a[=1&]=2&[b]=3&a][=4&a[][b]=5', {}],
    ['__proto__[x]=1&a[__proto__]=2&constructor[prototype]=3', { constructor: { prototype: '3' } }],
  ]
  for (const [text, expected] of rows) {
    it(`${text || 'of nothing'} is read`, () => {
      expect(readForm(Buffer.from(text))).to.deep.equal(expected)
      expect(({} as Record<string, unknown>).x).to.equal(undefined)
    })
  }

  it('of more than a thousand fields is refused before it is taken apart', () => {
    const form = (fields: number) => Buffer.from(Array.from({ length: fields }, (_, i) => `k${i}=1`).join('&'))
    expect(Object.keys(readForm(form(1000)))).to.have.length(1000)
    expect(() => readForm(form(1001)))
      .to.throw('the form has more than 1000 fields')
      .with.property('code', 'too_large')
  })

  it('has no names of more than a thousand characters', () => {
    expect(readForm(Buffer.from(`a${'[]'.repeat(600)}=1&b=2`))).to.deep.equal({ b: '2' })
    expect(readForm(Buffer.from(`${'a'.repeat(1001)}=1&b=2`))).to.deep.equal({ b: '2' })
  })

  it('is one by its media type, unless it holds JSON', () => {
    expect(isForm(type, Buffer.from('a=1'))).to.equal(true)
    expect(isForm(type, Buffer.from(' [{"a":1}]'))).to.equal(false)
    expect(isForm('application/json', Buffer.from('a=1'))).to.equal(false)
    expect(isForm(undefined, Buffer.from('a=1'))).to.equal(false)
  })
})
