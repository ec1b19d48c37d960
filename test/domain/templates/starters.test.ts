import { expect } from 'chai'
import { checkTemplate } from '../../../src/domain/templates/check.ts'
import { renderDocument } from '../../../src/domain/templates/render.ts'
import { STARTERS } from '../../../src/domain/templates/starters/index.ts'
import type { Color, ContentDocument, Spans } from '../../../src/domain/templates/types.ts'

const SIDES = ['light', 'dark'] as const
type Side = (typeof SIDES)[number]

const sideOf = (color: Color, side: Side) => (typeof color === 'string' ? color : color[side])

/** Relative luminance as WCAG 2 has it. */
function luminance(hex: string): number {
  const [r, g, b] = [1, 3, 5].map((at) => {
    const value = Number.parseInt(hex.slice(at, at + 2), 16) / 255
    return value <= 0.040_45 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4
  }) as [number, number, number]
  return 0.2126 * r + 0.7152 * g + 0.0722 * b
}

function contrast(one: string, other: string): number {
  const [high, low] = [luminance(one), luminance(other)].toSorted((a, b) => b - a) as [number, number]
  return (high + 0.05) / (low + 0.05)
}

const isClear = (color: string) => color.length === 9 && color.endsWith('00')

/** Every text of a document with the colours that it stands on. */
function* texts(
  { frame, defaults }: ContentDocument,
  side: Side,
): Generator<[text: string, on: string, least: number, of: Spans]> {
  const grounds = frame.backgroundLayers!.flatMap((layer) =>
    layer.type === 'color' ? [layer.color] : layer.type === 'gradient' ? layer.stops.map(({ color }) => color) : [],
  )
  for (const node of frame.nodes) {
    if (!('text' in node)) continue
    // Large text may stand out less (WCAG 2, 1.4.3).
    const least = 'size' in node && (node.size ?? 0) >= 24 ? 3 : 4.5
    const own = node.type === 'button' ? node.style!.fg! : (node.color ?? defaults!.fontColor!)
    const filled = node.type === 'button' && !isClear(sideOf(node.style!.bg!, side)) ? [node.style!.bg!] : grounds
    const spans = typeof node.text === 'string' ? [] : node.text
    const marked = spans.flatMap((span) =>
      Array.isArray(span) && !Array.isArray(span[1]) && span[1].color ? [span[1].color] : [],
    )
    for (const color of [own, ...marked]) {
      for (const ground of filled) yield [sideOf(color, side), sideOf(ground, side), least, node.text]
    }
  }
}

describe('the starters', () => {
  it('are there', () => {
    expect(STARTERS).to.have.all.keys('welcome', 'announcement', 'promotion', 'permission', 'rating')
  })

  for (const [name, { summary, content, tags, sample }] of Object.entries(STARTERS)) {
    it(`${name} is a template whose sample makes a document`, () => {
      expect(checkTemplate({ content, tags, sample })).to.deep.equal({})
      expect(summary).to.not.equal('')
      const { document, errors } = renderDocument(content, tags, sample)
      expect(errors).to.equal(undefined)
      expect(JSON.stringify(document)).to.not.include('{{')
      const used = JSON.stringify(content)
      for (const { title } of tags) expect(used).to.include(`{{${title}}}`)
    })

    for (const side of SIDES) {
      it(`${name} can be read in ${side} appearance`, () => {
        const { document } = renderDocument(content, tags, sample)
        for (const [text, ground, least, spans] of texts(document!, side)) {
          expect(contrast(text, ground), `${text} on ${ground}: ${JSON.stringify(spans)}`).to.be.at.least(least)
        }
      })
    }
  }
})
