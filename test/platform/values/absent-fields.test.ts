import { expect } from 'chai'
import { fromMessagesForm, messagesForm } from '../../../src/domain/notifications/schema.ts'
import { closedShape, flag, integer, parseJson, parseText, shape, text } from '../../../src/platform/values/parse.ts'

/** A text that notes in `asked` that its rule ran. */
function noting(asked: string[], name: string) {
  return text().test('noted', 'is never wrong', () => asked.push(name) > 0)
}

describe('absent fields', () => {
  it('are not checked when they may be absent, and are when they are there', () => {
    const asked: string[] = []
    const schema = shape({ a: noting(asked, 'a'), b: noting(asked, 'b'), c: shape({ d: noting(asked, 'd') }) })
    parseJson(schema, { c: {} })
    asked.length = 0
    expect(parseJson(schema, { a: 'x', e: 1 })).to.deep.equal({ a: 'x' })
    expect(asked).to.deep.equal(['a'])
    asked.length = 0
    parseJson(schema, { b: 'y', c: { d: 'z' } })
    expect(asked).to.deep.equal(['d', 'b'])
  })

  it('are wrong when they are required, at every depth and each time', () => {
    const schema = shape({ a: text().required(), inner: shape({ b: integer().defined(), c: flag() }), other: text() })
    for (let time = 0; time < 2; time++) {
      expect(() => parseJson(schema, { inner: { c: true } }))
        .to.throw()
        .with.nested.property('details.fields')
        .that.deep.equals({ a: ['is required'], 'inner.b': ['is required'] })
    }
  })

  it('get their defaults', () => {
    const schema = shape({ size: integer().default(20), name: text() })
    expect(parseJson(schema, {})).to.deep.equal({ size: 20 })
    expect(parseText(schema, { name: 'x' })).to.deep.equal({ size: 20, name: 'x' })
  })

  it('are checked when their rules read the fields beside them', () => {
    const end = text().test('end', 'is required with begin', (value, { parent }) => {
      return value !== undefined || (parent as { begin?: string }).begin === undefined
    })
    const schema = shape({ begin: text(), end })
    expect(parseJson(schema, {})).to.deep.equal({})
    expect(() => parseJson(schema, { begin: 'now' }))
      .to.throw()
      .with.nested.property('details.fields')
      .that.deep.equals({ end: ['is required with begin'] })
  })

  it('do not hide fields that are unknown', () => {
    expect(() => parseJson(closedShape({ a: text(), b: text() }), { c: 1 }))
      .to.throw()
      .with.nested.property('details.fields.c')
  })

  it('of a push have the same errors, whichever are there', () => {
    expect(() => parseJson(messagesForm, { target: { userIds: ['a'] } }))
      .to.throw()
      .with.nested.property('details.fields')
      .that.includes.keys('content', 'content.title')
    const body = { target: { userIds: ['a'] }, content: { title: 'A', message: 'B' }, ios: null, ttl: null }
    expect(fromMessagesForm(parseJson(messagesForm, body)).content).to.deep.include({ title: 'A', message: 'B' })
  })
})
