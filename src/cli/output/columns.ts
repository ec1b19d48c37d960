/** The width of texts on a terminal, and cutting them to it. */

const graphemes = new Intl.Segmenter()
/** Characters of two columns: East Asian wide and fullwidth ones, and emoji (with their default or chosen presentation). */
const WIDE =
  /\p{Emoji_Presentation}|\ufe0f|[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\ua960-\ua97f\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff01-\uff60\uffe0-\uffe6]|[\u{16fe0}-\u{18aff}\u{1b000}-\u{1b2ff}\u{1f200}-\u{1f2ff}\u{20000}-\u{3fffd}]/u
/** Characters that are drawn over those before, or not at all. */
const NARROWEST = /^[\p{Mn}\p{Me}\p{Cf}]+$/u

/** Number of terminal columns that a text takes. */
export function widthOf(text: string): number {
  if (/^[\x20-\x7e]*$/.test(text)) return text.length
  let width = 0
  for (const { segment } of graphemes.segment(text)) width += widthOfOne(segment)
  return width
}

function widthOfOne(grapheme: string): number {
  if (WIDE.test(grapheme)) return 2
  return NARROWEST.test(grapheme) ? 0 : 1
}

/** The beginning of a text that takes at most `width` columns; with `…` at its end when something is missing. */
export function cutToWidth(text: string, width: number): string {
  if (widthOf(text) <= width) return text
  let kept = ''
  let used = 0
  for (const { segment } of graphemes.segment(text)) {
    const next = widthOfOne(segment)
    if (used + next > width - 1) break
    used += next
    kept += segment
  }
  return width < 1 ? '' : `${kept}…`
}

/** The least width to which a column is narrowed. */
const LEAST = 6

/**
 * The widths of columns that fit into `available` together; undefined when they cannot. The widest give way first; `firm`
 * ones keep their width. `wanted` are the widths that the columns would like to have.
 */
export function fitColumns(
  wanted: readonly number[],
  firm: readonly boolean[],
  available: number,
): number[] | undefined {
  const total = (widths: readonly number[]) => widths.reduce((sum, width) => sum + width, 0)
  const capped = (cap: number) => wanted.map((width, i) => (firm[i] ? width : Math.min(width, cap)))
  if (total(capped(LEAST)) > available) return undefined
  let cap = LEAST
  const widest = Math.max(...wanted)
  while (cap < widest && total(capped(cap + 1)) <= available) cap++
  const widths = capped(cap)
  // What is left over is less than a column for each of those that were cut.
  for (const [i, width] of wanted.entries()) if (total(widths) < available && widths[i]! < width) widths[i]!++
  return widths
}
