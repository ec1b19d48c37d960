/** Grounds of the card of the jump page, light and dark, and the inks on it. The style sheet has the same. */
const CARD = { light: '#ffffff', dark: '#181c23' } as const
const INK = { light: '#14181f', dark: '#eef1f5' } as const
/** The least contrast of text (WCAG 2.2, 1.4.3), and of a button against what is around it (1.4.11). */
const TEXT_CONTRAST = 4.5
const EDGE_CONTRAST = 3

/**
 * Variables of the style sheet for an app with a colour of its own (`#rrggbb`): buttons have it, words on them are light or dark, whichever is read better,
 * and words of that colour are in ink where it is too pale or too dark to be read. Pure.
 */
export function variablesFor(color: string): string {
  const on = contrast(color, '#ffffff') >= contrast(color, '#14181f') ? '#fff' : '#14181f'
  const rules = (look: 'light' | 'dark') => {
    const against = contrast(color, CARD[look])
    const text = against >= TEXT_CONTRAST ? color : INK[look]
    const edge = against >= EDGE_CONTRAST ? 'transparent' : 'var(--quiet)'
    return `--main:${color};--on:${on};--text:${text};--edge:${edge};--halo:transparent`
  }
  return `:root{${rules('light')}}\n@media (prefers-color-scheme:dark){:root{${rules('dark')}}}\n`
}

/** The contrast of two colours, from 1 to 21 (WCAG 2.2, "contrast ratio"). */
function contrast(one: string, other: string): number {
  const [dark, light] = [luminance(one), luminance(other)].toSorted((a, b) => a - b)
  return (light! + 0.05) / (dark! + 0.05)
}

function luminance(color: string): number {
  const [red, green, blue] = [1, 3, 5].map((at) => {
    const part = Number.parseInt(color.slice(at, at + 2), 16) / 255
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4
  })
  return 0.2126 * red! + 0.7152 * green! + 0.0722 * blue!
}
