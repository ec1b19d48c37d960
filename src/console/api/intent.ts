/**
 * A name for one write, as its `Idempotency-Key`, so that a repeat of the call does nothing twice. `crypto.randomUUID` is missing at
 * addresses without TLS.
 */
export const newIntent = (): string =>
  Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join('')
