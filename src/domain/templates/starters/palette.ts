/**
 * Colours of the starters, each for light and dark appearance. Text on them has a contrast of at least 4.5 to 1 (large
 * text 3 to 1).
 */
export const INK = { light: '#14161f', dark: '#f3f4f8' }
export const QUIET_INK = { light: '#4c5163', dark: '#b9bdcc' }
export const PAPER = { light: '#ffffff', dark: '#1c1e27' }
export const HAIRLINE = { light: '#d5d8e2', dark: '#434758' }
/** The accent colour. It uses the tags of `accentTags`. */
export const ACCENT = { light: '{{Accent}}', dark: '{{AccentDark}}' }
const ON_ACCENT = { light: '#ffffff', dark: '#14161f' }
const CLEAR = '#ffffff00'

/** The tags of the accent colour, with these defaults. */
export const accentTags = (light: string, dark: string) => [
  { title: 'Accent', type: 'color' as const, required: false, default: light },
  { title: 'AccentDark', type: 'color' as const, required: false, default: dark },
]

/** A decoration above the words, which an app replaces with a picture of its own, and its tag. */
export const PICTURE = { type: 'image' as const, src: '{{Picture}}', alt: '', width: 100, radius: 14 }
export const pictureTag = (standard: string) => ({
  title: 'Picture',
  type: 'image' as const,
  required: false,
  default: standard,
})

/** Styles of the main button and of the one that declines. */
export const MAIN_BUTTON = { fg: ON_ACCENT, bg: ACCENT, radius: 14, size: 'wide' as const }
export const QUIET_BUTTON = { fg: QUIET_INK, bg: CLEAR, radius: 14, size: 'wide' as const }
