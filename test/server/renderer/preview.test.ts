import { expect } from 'chai'
import { previewPage } from '../../../src/server/renderer/preview.ts'

const dataIn = (page: string) => /<script type="application\/json" id="content">(.*?)<\/script>/s.exec(page)![1]!

describe('the preview of a message', () => {
  it('holds the document as JSON that cannot end its script element', () => {
    const content = { text: '</script><b>\u2028\u2029' }
    const data = dataIn(previewPage(content))
    expect(data).to.match(/^[^<\u2028\u2029]*$/)
    expect(JSON.parse(data)).to.deep.equal(content)
  })

  it('holds null without a document', () => {
    expect(dataIn(previewPage(undefined))).to.equal('null')
  })

  it('has a title, which cannot become markup', () => {
    expect(previewPage(null)).to.include('<title>Preview</title>')
    expect(previewPage(null, { title: '<b>' })).to.include('<title>&lt;b')
  })
})
