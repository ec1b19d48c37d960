import { expect } from 'chai'
import { escapeHtml, Html, html } from '../../../src/platform/text/html.ts'

describe('html', () => {
  const hostile = `"><script>alert('x')</script>&amp;`
  const escaped = '&quot;&gt;&lt;script&gt;alert(&#39;x&#39;)&lt;/script&gt;&amp;amp;'

  it('escapes what is put into text and attributes', () => {
    expect(escapeHtml(hostile)).to.equal(escaped)
    expect(html`<b title="${hostile}">${hostile}</b>`.text).to.equal(`<b title="${escaped}">${escaped}</b>`)
  })

  it('takes its own pieces as they are, alone and in lists', () => {
    const items = ['<', '>'].map((one) => html`<li>${one}</li>`)
    expect(html`<ul>${items}</ul>`.text).to.equal('<ul><li>&lt;</li><li>&gt;</li></ul>')
    expect(html`<style>${new Html('a > b {}')}</style>`.text).to.equal('<style>a > b {}</style>')
  })

  it('writes nothing for false, null and undefined, and numbers as they are', () => {
    expect(html`[${false}${null}${undefined}${0}]`.text).to.equal('[0]')
  })
})
