/** Ends of the parts of a template text by their beginnings. */
const CLOSES: Readonly<Record<string, '}}' | '%}'>> = { '{{': '}}', '{%': '%}' }

/**
 * A text of another service with `map` of what stands inside of each of its parts, which begin with one of `opens`. It takes time in
 * proportion to the text, also of one whose parts are never closed. Pure.
 */
export function mapParts(text: string, opens: readonly ('{{' | '{%')[], map: (inside: string) => string): string {
  const last = { '}}': text.lastIndexOf('}}'), '%}': text.lastIndexOf('%}') }
  let written = ''
  let at = 0
  for (const { index, 0: open } of text.matchAll(/\{[{%]/g)) {
    const close = CLOSES[open]!
    const start = index + open.length
    if (index < at || start > last[close] || !opens.includes(open as '{{')) continue
    const end = text.indexOf(close, start)
    written += text.slice(at, start) + map(text.slice(start, end))
    at = end
  }
  return written + text.slice(at)
}
