/** Letters of many kinds, and difficult parts of texts: accents apart, ligatures, controls, noncharacters, emoji. */
const DIFFICULT = Array.from(
  'aAbZzäÄàéÉßæœøłıİſﬁ²①ÅǆΣσςΐйїґђאָبآकि가각あがアｱ的鿿 -_\'"\\!~\u0001\u0301\u0323\u200e\u2028\ud7ff\ue000\ufffd\uffff😀👍🏽𝓐',
)

/** A text of at most `most` characters that PostgreSQL can store. */
export function textByChance(pick: (below: number) => number, most: number): string {
  return Array.from({ length: pick(most + 1) }, () => {
    if (pick(4) > 0) return DIFFICULT[pick(DIFFICULT.length)]!
    const point = 1 + pick(0x10ffff)
    return point >= 0xd800 && point < 0xe000 ? '?' : String.fromCodePoint(point)
  }).join('')
}

/** Compares by code point, as both databases do. */
export function compareKeys(a: string, b: string): number {
  return Buffer.compare(Buffer.from(a), Buffer.from(b))
}
