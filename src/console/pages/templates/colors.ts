import { type Block, type Doc, type Draft, filled, type Layer, plainText } from './document.ts'

type Look = 'light' | 'dark'
type Rgba = readonly [number, number, number, number]

const HEX = /^#([\da-f]{3}|[\da-f]{6}|[\da-f]{8})$/i
const WHITE: Rgba = [255, 255, 255, 1]
/** Contrast that text needs: WCAG 2.2, 1.4.3. Text from 24 px on needs less. */
const ENOUGH = 4.5
const ENOUGH_LARGE = 3
const LARGE_PX = 24

/** The half of a pair for one look, or the colour of both. */
export function sideOf(color: unknown, look: Look): string | undefined {
  const side = typeof color === 'object' && color !== null ? (color as Record<string, unknown>)[look] : color
  return typeof side === 'string' ? side : undefined
}

/** `#rgb`, `#rrggbb` or `#rrggbbaa`; undefined for anything else. */
function rgbaOf(text: string | undefined): Rgba | undefined {
  if (text === undefined || !HEX.test(text)) return undefined
  const hex = text.length === 4 ? text.replace(/[^#]/g, '$&$&') : text
  const at = (place: number) => Number.parseInt(hex.slice(place, place + 2), 16)
  return [at(1), at(3), at(5), hex.length > 7 ? at(7) / 255 : 1]
}

const over = (top: Rgba, ground: Rgba): Rgba => {
  const part = (i: 0 | 1 | 2) => top[i] * top[3] + ground[i] * (1 - top[3])
  return [part(0), part(1), part(2), 1]
}

function luminance(rgba: Rgba): number {
  const part = (i: 0 | 1 | 2) => {
    const c = rgba[i] / 255
    return c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4
  }
  return 0.2126 * part(0) + 0.7152 * part(1) + 0.0722 * part(2)
}

/** Contrast of two colours as WCAG defines it, from 1 to 21. */
function contrastOf(text: Rgba, ground: Rgba): number {
  const [low, high] = [luminance(over(text, ground)), luminance(ground)].toSorted((a, b) => a - b)
  return (high! + 0.05) / (low! + 0.05)
}

/** The colours behind the text: every colour of the topmost layers that cover the frame. Undefined over a picture. */
function groundsOf(layers: readonly Layer[], look: Look): Rgba[] | undefined {
  let grounds: Rgba[] | undefined
  for (const layer of layers) {
    const stops = layer.type === 'gradient' && Array.isArray(layer['stops']) ? (layer['stops'] as unknown[]) : []
    const colors = layer.type === 'color' ? [layer['color']] : stops.map((stop) => (stop as { color?: unknown }).color)
    const tops = colors.map((color) => rgbaOf(sideOf(color, look))).filter((color) => color !== undefined)
    if (layer.type === 'image' || layer.type === 'video') grounds = undefined
    else if (tops.some(([, , , alpha]) => alpha < 1))
      grounds = grounds && tops.flatMap((top) => grounds!.map((ground) => over(top, ground)))
    else if (tops.length > 0) grounds = tops
  }
  return grounds
}

export interface Warning {
  /** Index of the block. */
  block: number
  text: string
}

/**
 * Warns of text with too little contrast, in light and dark, and of pictures without a description. Judges with the sample
 * values, as the frame shows the message.
 */
export function warningsOf({ content, tags, sample }: Draft): Warning[] {
  const doc = filled(content, tags, sample)
  return doc.frame.nodes.flatMap((block, i) => [
    ...lookProblems(doc, block).map((text) => ({ block: i, text })),
    ...((block.type === 'image' || block.type === 'video') &&
    typeof block['alt'] === 'string' &&
    block['alt'].trim() === ''
      ? [
          {
            block: i,
            text: 'No description: people who cannot see it learn nothing. Leave it empty only for decoration.',
          },
        ]
      : []),
  ])
}

function lookProblems(doc: Doc, block: Block): string[] {
  const poor = (['light', 'dark'] as const).flatMap((look) => {
    const worst = worstContrast(doc, block, look)
    const size = typeof block['size'] === 'number' ? block['size'] : block.type === 'heading' ? LARGE_PX : 16
    const needed = size >= LARGE_PX ? ENOUGH_LARGE : ENOUGH
    return worst === undefined || worst >= needed ? [] : [{ look, worst, needed }]
  })
  return poor.map(
    ({ look, worst, needed }) =>
      `Hard to read in ${look} mode: the contrast is ${worst.toFixed(1)}, it needs ${needed}. Choose a darker or brighter colour.`,
  )
}

/**
 * Lowest contrast of a block with the colours behind it; undefined where the renderer chooses a readable colour by itself, or a
 * picture is behind it.
 */
function worstContrast(doc: Doc, block: Block, look: Look): number | undefined {
  if (plainText(block['text']).trim() === '') return undefined
  const frame = groundsOf(doc.frame.backgroundLayers ?? [], look)
  const style = (block['style'] ?? {}) as Record<string, unknown>
  const own =
    block.type === 'button' ? style['fg'] : (block['color'] ?? (doc.defaults as Record<string, unknown>)?.['fontColor'])
  const ink = rgbaOf(sideOf(own, look))
  if (!ink) return undefined
  const fill = block.type === 'button' ? rgbaOf(sideOf(style['bg'], look)) : undefined
  const grounds = fill ? (frame ?? [WHITE]).map((ground) => over(fill, ground)) : frame
  return grounds && Math.min(...grounds.map((ground) => contrastOf(ink, ground)))
}
