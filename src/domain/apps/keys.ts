import { mintKey } from '../../platform/crypto/ids.ts'
import type { AppKeys, KeyKind } from './types.ts'

const PREFIXES: Record<KeyKind, string> = { api: 'ak', server: 'sk', secret: 'dk' }

/** A new key. Its prefix tells its kind: `ak_` API key, `sk_` server key, `dk_` secret key for devices. */
export function mint(kind: KeyKind): string {
  return mintKey(PREFIXES[kind])
}

export function mintAll(): AppKeys {
  return { apiKey: mint('api'), serverKey: mint('server'), secretKey: mint('secret') }
}

/** The part that may be shown later: the prefix and the first 4 of 43 characters. */
export function hintOf(key: string): string {
  return `${key.slice(0, 7)}…`
}
