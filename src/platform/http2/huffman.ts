/**
 * The static Huffman code of HPACK (RFC 7541 appendix B). The code is canonical: codes of one length are consecutive in
 * symbol order and each length continues where the shorter one stopped, so the lengths alone define all of it.
 * Symbol 256 (EOS) must never appear in a string.
 */
const CODE_LENGTHS = `
  13 23 28 28 28 28 28 28 28 24 30 28 28 30 28 28 28 28 28 28 28 28 30 28 28 28 28 28 28 28 28 28
   6 10 10 12 13  6  8 11 10 10  8 11  8  6  6  6  5  5  5  6  6  6  6  6  6  6  7  8 15  6 12 10
  13  6  7  7  7  7  7  7  7  7  7  7  7  7  7  7  7  7  7  7  7  7  7  7  8  7  8 13 19 13 14  6
  15  5  6  5  6  5  6  6  6  5  7  7  6  6  6  5  6  7  6  5  5  6  7  7  7  7  7 15 11 14 13 28
  20 22 20 20 22 22 22 23 22 23 23 23 23 23 24 23 24 24 22 23 24 23 23 23 23 21 22 23 22 23 23 24
  22 21 20 22 22 23 23 21 23 22 22 24 21 22 23 23 21 21 22 21 23 22 23 23 20 22 22 22 23 22 22 23
  26 26 20 19 22 23 22 25 26 26 26 27 27 26 24 25 19 21 26 27 27 26 27 24 21 21 26 26 28 27 27 27
  20 24 20 21 22 21 21 23 22 22 25 25 24 24 26 23 26 27 26 26 27 27 27 27 27 28 27 27 27 27 27 26
  30`
const EOS = 256

const lengths = Uint8Array.from(CODE_LENGTHS.trim().split(/\s+/), Number)
const codes = canonicalCodes()

function canonicalCodes(): Uint32Array {
  const codes = new Uint32Array(257)
  const symbols = [...lengths.keys()].sort((a, b) => lengths[a]! - lengths[b]! || a - b)
  let code = 0
  let length = lengths[symbols[0]!]!
  for (const symbol of symbols) {
    code <<= lengths[symbol]! - length
    length = lengths[symbol]!
    codes[symbol] = code++
  }
  return codes
}

/**
 * Decoding tables, 256 entries each, walked eight bits at a time. An entry is `symbol << 4 | bits used of these eight`,
 * or the negative number of the table that continues, or 0 where only EOS or nothing can follow.
 */
const tables: Int32Array[] = decodingTables()

function decodingTables(): Int32Array[] {
  const tables = [new Int32Array(256)]
  for (let symbol = 0; symbol < EOS; symbol++) {
    let table = tables[0]!
    let left = lengths[symbol]!
    const code = codes[symbol]!
    for (; left > 8; left -= 8) {
      const step = (code >>> (left - 8)) & 0xff
      if (table[step] === 0) table[step] = -(tables.push(new Int32Array(256)) - 1)
      table = tables[-table[step]!]!
    }
    const first = (code << (8 - left)) & 0xff
    table.fill((symbol << 4) | left, first, first + (1 << (8 - left)))
  }
  return tables
}

let scratch = Buffer.allocUnsafeSlow(4096)

/**
 * Decodes one Huffman string of `bytes[start, end)` to one character a byte (latin1). Returns undefined when it is not
 * valid: EOS inside, padding longer than seven bits, or padding that is not the start of EOS (RFC 7541 section 5.2).
 */
export function decodeHuffman(bytes: Buffer, start: number, end: number): string | undefined {
  const most = Math.ceil(((end - start) * 8) / 5)
  if (scratch.length < most) scratch = Buffer.allocUnsafeSlow(most * 2)
  const root = tables[0]!
  let table = root
  let pending = 0
  let bits = 0
  let length = 0
  for (let at = start; at < end; at++) {
    pending = ((pending << 8) | bytes[at]!) & 0xffff
    bits += 8
    while (bits >= 8) {
      const entry = table[(pending >>> (bits - 8)) & 0xff]!
      if (entry > 0) {
        scratch[length++] = entry >>> 4
        bits -= entry & 15
        table = root
      } else if (entry < 0) {
        table = tables[-entry]!
        bits -= 8
      } else return undefined
    }
  }
  while (bits > 0) {
    const entry = table[(pending << (8 - bits)) & 0xff]!
    if (entry <= 0 || (entry & 15) > bits) break
    scratch[length++] = entry >>> 4
    bits -= entry & 15
    table = root
  }
  const padding = (1 << bits) - 1
  if (table !== root || (pending & padding) !== padding) return undefined
  return scratch.toString('latin1', 0, length)
}

/** The Huffman form of a latin1 string. */
export function encodeHuffman(text: string): Buffer {
  let size = 0
  for (let i = 0; i < text.length; i++) size += lengths[text.charCodeAt(i)]!
  const out = Buffer.alloc((size + 7) >>> 3)
  let at = 0
  let pending = 0
  let bits = 0
  const put = (code: number, length: number) => {
    pending = (pending << length) | code
    bits += length
    while (bits >= 8) {
      bits -= 8
      out[at++] = (pending >>> bits) & 0xff
    }
    pending &= (1 << bits) - 1
  }
  for (let i = 0; i < text.length; i++) {
    const symbol = text.charCodeAt(i)
    const length = lengths[symbol]!
    // A code has up to 30 bits, and up to 7 bits are pending. Written in two halves, they fit into 32 bits.
    if (length > 16) put(codes[symbol]! >>> 16, length - 16)
    put(codes[symbol]! & (length > 16 ? 0xffff : 0xffffffff), Math.min(length, 16))
  }
  if (bits > 0) out[at] = ((pending << (8 - bits)) | (0xff >>> bits)) & 0xff
  return out
}
