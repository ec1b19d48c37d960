/** A random UUID in lower case. `crypto.randomUUID` is not there for pages without https. */
export function newUuid(): string {
  if (crypto.randomUUID) return crypto.randomUUID()
  // RFC 9562 section 5.4: version 4, and `8` to `b` where the variant stands.
  return '10000000-1000-4000-8000-100000000000'.replace(/[018]/g, (digit) =>
    (Number(digit) ^ (crypto.getRandomValues(new Uint8Array(1))[0]! & (15 >> (Number(digit) / 4)))).toString(16),
  )
}
