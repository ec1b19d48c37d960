/**
 * The first number of a valid JSON text that JavaScript does not keep, as it is written: one beyond every number, and a long
 * integer, which would become another one. The server refuses them; the browser would have changed them before it asked.
 */
export function unkeptNumber(text: string): string | undefined {
  const bare = text.replace(/"(?:[^"\\]|\\.)*"/g, '""')
  for (const [number] of bare.matchAll(/-?\d[\d.eE+-]*/g)) {
    const value = Number(number)
    if (!Number.isFinite(value)) return number
    if (/^-?\d+$/.test(number) && !Number.isSafeInteger(value)) return number
  }
  return undefined
}

/** Advice for a number that JavaScript cannot keep. */
export const unkeptWords = (number: string): string =>
  `${shortened(number)} is too long for a number: put it in "quotes".`

const shortened = (number: string): string => (number.length > 24 ? `${number.slice(0, 24)}…` : number)

/** `JSON.parse`, which also throws an `Error` with a sentence for a number that is not kept. */
export function parseJson(text: string): unknown {
  const value: unknown = JSON.parse(text)
  const number = unkeptNumber(text)
  if (number !== undefined) throw new Error(unkeptWords(number))
  return value
}
