/** Colours that the starters share, each for light and dark appearance; texts on them have a contrast of at least 4.5 to 1 (large ones 3 to 1). */
export const INK = { light: '#14161f', dark: '#f3f4f8' }
export const QUIET_INK = { light: '#4c5163', dark: '#b9bdcc' }
export const PAPER = { light: '#ffffff', dark: '#1c1e27' }
export const HAIRLINE = { light: '#d5d8e2', dark: '#434758' }
/** The colour that stands out, as a tag: `ACCENT_TAGS` go with it. */
export const ACCENT = { light: '{{Accent}}', dark: '{{AccentDark}}' }
const ON_ACCENT = { light: '#ffffff', dark: '#14161f' }
const CLEAR = '#ffffff00'

export const ACCENT_TAGS = [
  { title: 'Accent', type: 'color' as const, required: false, default: '#3b4fd8' },
  { title: 'AccentDark', type: 'color' as const, required: false, default: '#9db0ff' },
]

/** The button that the message is about, and the one that says no. */
export const MAIN_BUTTON = { fg: ON_ACCENT, bg: ACCENT, radius: 14, size: 'wide' as const }
export const QUIET_BUTTON = { fg: QUIET_INK, bg: CLEAR, radius: 14, size: 'wide' as const }
