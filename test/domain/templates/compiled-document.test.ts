import { expect } from 'chai'
import { compileDocument } from '../../../src/domain/templates/compiled-document.ts'
import { renderDocument } from '../../../src/domain/templates/render.ts'
import { STARTERS } from '../../../src/domain/templates/starters/index.ts'
import { readValues } from '../../../src/domain/templates/tags.ts'
import type { ContentDocument, Tag } from '../../../src/domain/templates/types.ts'

const TAGS: Tag[] = [
  { title: 'A', type: 'text', required: false },
  { title: 'U', type: 'url', required: false },
]

function document(...nodes: ContentDocument['frame']['nodes']): ContentDocument {
  return { ver: 1, frame: { type: 'alert', nodes } }
}

describe('a compiled document', () => {
  it('is filled as a template is rendered', () => {
    const wild = document(
      { type: 'heading', text: ['{{A}}', ['b {{A}}', ['bold']]] },
      { type: 'text', text: '{{A}}\u2028{{ U }}' },
      { type: 'image', src: '{{U}}', alt: '{{A}}' },
      {
        type: 'button',
        text: 'x{{A}}',
        actions: [{ type: 'openUrl', data: { url: 'https://shop.example/{{A}}?q={{U}}' } }],
      },
    )
    const rounds: [ContentDocument, Tag[], Record<string, unknown>][] = [
      [wild, TAGS, { A: 'ä b/{{U}}', U: 'https://x.example/a' }],
      [wild, TAGS, { A: '', U: 'https://x.example/b' }],
      ...Object.values(STARTERS).map(
        ({ content, tags, sample }) => [content, tags, sample] as [ContentDocument, Tag[], typeof sample],
      ),
    ]
    for (const [content, tags, values] of rounds) {
      const { texts } = readValues(tags, values)
      const compiled = compileDocument(content)
      expect(compiled.judge(texts)).to.equal(undefined)
      expect(JSON.stringify(compiled.fill(texts))).to.equal(
        JSON.stringify(renderDocument(content, tags, values).document),
      )
    }
  })

  it('says which texts do not fit where they stand, and when nothing would be shown', () => {
    const link = document({
      type: 'button',
      text: '{{A}}',
      actions: [{ type: 'openUrl', data: { url: '{{U}}' } }],
    })
    const judge = (content: ContentDocument, A: string, U: string) =>
      compileDocument(content).judge(
        new Map([
          ['A', A],
          ['U', U],
        ]),
      )
    expect(judge(link, ' ', 'javascript:x')).to.deep.equal({ wrong: ['A', 'U'] })
    expect(judge(link, 'Go', 'https://x.example')).to.equal(undefined)
    expect(judge(document({ type: 'text', text: '{{A}}' }), '', '')).to.deep.equal({ blank: true })
    expect(judge(document({ type: 'text', text: '{{A}}{{A}}{{A}}' }), 'x'.repeat(2000), '')).to.deep.equal({
      tooLarge: true,
    })
    const many = document(...Array.from({ length: 40 }, () => ({ type: 'text' as const, text: '{{A}}' })))
    expect(judge(many, 'x'.repeat(1000), '')).to.equal(undefined)
    expect(judge(many, 'x'.repeat(2000), '')).to.deep.equal({ tooLarge: true })
  })
})
