import type { Page } from 'puppeteer-core'

/**
 * Texts of the page that stand out too little from their ground (WCAG 2.2, 1.4.3), each once: `Save: 3.2 (#888888 on #ffffff)`. The ground is
 * that of the element and of those around it. For every text of a page it takes a twentieth of the time of axe's `color-contrast`, which looks
 * what is in front of each.
 */
export async function lowContrasts(page: Page): Promise<string[]> {
  return (await page.evaluate(LOW_CONTRASTS)) as string[]
}

/** Runs in the page: the same, for what looks at more of it in the same go. Our types know no DOM. */
export const LOW_CONTRASTS = `(() => {
  const LEAST = 4.5
  /** For text of 24 px, or of 18.66 px and bold. */
  const LEAST_LARGE = 3
  const FIELDS = 'input:not([type=hidden], [type=checkbox], [type=radio], [type=file], [type=range], [type=color]), textarea, select'
  const OFF = ':disabled, [aria-disabled=true], fieldset:disabled *'
  const pen = new OffscreenCanvas(1, 1).getContext('2d', { willReadFrequently: true })
  const known = new Map()
  /** Red, green, blue and how opaque it is, whatever notation the browser gives it. */
  const parse = (color) => {
    const plain = /^rgba?\\(([\\d.]+), ([\\d.]+), ([\\d.]+)(?:, ([\\d.]+))?\\)$/.exec(color)
    if (plain) return [plain[1], plain[2], plain[3], plain[4] ?? 1].map(Number)
    pen.clearRect(0, 0, 1, 1)
    pen.fillStyle = color
    pen.fillRect(0, 0, 1, 1)
    const [r, g, b, a] = pen.getImageData(0, 0, 1, 1).data
    return [r, g, b, a / 255]
  }
  const read = (color) => known.get(color) ?? known.set(color, parse(color)).get(color)
  const over = ([r, g, b, a], [R, G, B]) => [r * a + R * (1 - a), g * a + G * (1 - a), b * a + B * (1 - a), 1]
  const light = (color) => {
    const [r, g, b] = color.slice(0, 3).map((c) => (c / 255 <= 0.04045 ? c / 255 / 12.92 : ((c / 255 + 0.055) / 1.055) ** 2.4))
    return 0.2126 * r + 0.7152 * g + 0.0722 * b
  }
  const scheme = getComputedStyle(document.documentElement).colorScheme
  const isDark = scheme === 'dark' || (scheme !== 'light' && matchMedia('(prefers-color-scheme: dark)').matches)
  const canvas = isDark ? [18, 18, 18, 1] : [255, 255, 255, 1]
  const grounds = new Map()
  /** The colour below the text of an element, and how opaque the text is. Undefined where that is a picture or a gradient. */
  const groundOf = (element) => {
    if (element === null) return { color: canvas, opacity: 1 }
    if (grounds.has(element)) return grounds.get(element)
    const style = getComputedStyle(element)
    const below = groundOf(element.parentElement)
    const own = read(style.backgroundColor)
    let ground
    if (style.backgroundImage === 'none' && (below || own[3] === 1)) {
      const opacity = Number(style.opacity) * (below?.opacity ?? 1)
      ground = { color: over(own, below?.color ?? canvas), opacity }
    }
    grounds.set(element, ground)
    return ground
  }
  const found = new Set()
  const look = (element, text, style) => {
    const ground = groundOf(element)
    if (!ground) return
    const [r, g, b, a] = read(style.color)
    const drawn = over([r, g, b, a * ground.opacity], ground.color)
    const [lighter, darker] = [light(drawn), light(ground.color)].sort((x, y) => y - x)
    const contrast = (lighter + 0.05) / (darker + 0.05)
    const size = Number.parseFloat(style.fontSize)
    const isLarge = size >= 24 || (size >= 18.66 && Number(style.fontWeight) >= 700)
    if (contrast >= (isLarge ? LEAST_LARGE : LEAST)) return
    const hex = (color) => '#' + color.slice(0, 3).map((c) => Math.round(c).toString(16).padStart(2, '0')).join('')
    found.add(text.trim().slice(0, 40) + ': ' + contrast.toFixed(2) + ' (' + hex(drawn) + ' on ' + hex(ground.color) + ')')
  }
  const isShown = (element) => element.checkVisibility({ visibilityProperty: true }) && element.getClientRects().length > 0
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
  for (let node = texts.nextNode(); node; node = texts.nextNode()) {
    const element = node.parentElement
    if (node.data.trim() === '' || element.closest('script, style, noscript, svg, option') || !isShown(element)) continue
    if (element.matches(OFF) || element.closest(OFF)) continue
    look(element, node.data, getComputedStyle(element))
  }
  for (const field of document.querySelectorAll(FIELDS)) {
    if (field.matches(OFF) || !isShown(field)) continue
    if (field.value) look(field, field.value, getComputedStyle(field))
    else if (field.placeholder) look(field, field.placeholder, getComputedStyle(field, '::placeholder'))
  }
  return [...found]
})()`
