const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'

/** Base32 of RFC 4648 section 6 without padding, as authenticator apps take it. */
export function base32(bytes: Buffer): string {
  let bits = ''
  for (const byte of bytes) bits += byte.toString(2).padStart(8, '0')
  return bits.replace(/.{1,5}/g, (five) => ALPHABET[parseInt(five.padEnd(5, '0'), 2)]!)
}

/** The bytes of `base32` text. */
export function fromBase32(text: string): Buffer {
  const bits = [...text].map((letter) => ALPHABET.indexOf(letter).toString(2).padStart(5, '0')).join('')
  const whole = bits.slice(0, bits.length - (bits.length % 8))
  return Buffer.from(whole.match(/.{8}/g)?.map((byte) => parseInt(byte, 2)) ?? [])
}
