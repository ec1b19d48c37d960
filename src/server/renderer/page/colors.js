/**
 * `#rgb`, `#rrggbb`, `#rrggbbaa`, or a pair of them for light and dark -> [red, green, blue, alpha]; else undefined.
 */
export function readColor(color, dark) {
  const text = color !== null && typeof color === 'object' ? color[dark ? 'dark' : 'light'] : color
  if (typeof text !== 'string' || !/^#([\da-f]{3}|[\da-f]{6}|[\da-f]{8})$/i.test(text)) return undefined
  const hex = text.length === 4 ? text.replace(/[^#]/g, '$&$&') : text
  const at = (place) => parseInt(hex.slice(place, place + 2), 16)
  return [at(1), at(3), at(5), hex.length > 7 ? at(7) / 255 : 1]
}

export function cssColor(rgba) {
  return `rgba(${rgba.join(',')})`
}

function luminance(rgba) {
  const [r, g, b] = rgba.slice(0, 3).map((part) => {
    const c = part / 255
    return c <= 0.04045 ? c / 12.92 : Math.pow((c + 0.055) / 1.055, 2.4)
  })
  return 0.2126 * r + 0.7152 * g + 0.0722 * b
}

/** The contrast, a number from 1 to 21 (WCAG 2.2, 1.4.3). */
export function contrast(a, b) {
  const [high, low] = [luminance(a), luminance(b)].sort((x, y) => y - x)
  return (high + 0.05) / (low + 0.05)
}

export const BLACK = [20, 22, 26, 1]
export const WHITE = [255, 255, 255, 1]

/** Tells whether white text has more contrast on this colour than black text. */
export function isDark(rgba) {
  return contrast(rgba, WHITE) > contrast(rgba, BLACK)
}

/** The average of colours. */
export function mixOf(colors) {
  return [0, 1, 2, 3].map((part) => colors.reduce((sum, color) => sum + color[part], 0) / colors.length)
}
