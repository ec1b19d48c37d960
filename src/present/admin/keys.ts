import { ISSUED, type IssuedKey, PERMISSIONS, SCOPES } from '../../domain/apps/issued-keys.ts'
import type { KeyKind, KeyRecord } from '../../domain/apps/types.ts'
import { isoOffset, isoOffsetOrNull } from '../../platform/time/clock.ts'
import { answerOf, integer, list, nullable, object, oneOf, string, time } from '../schema.ts'

export const KEY_KINDS: readonly KeyKind[] = ['api', 'secret', 'server']

/** One of the app's own keys. Only an API key, which is public, is shown whole. */
export function presentOwnKey({ kind, hint, value, createdAt, expiresAt }: KeyRecord) {
  return { kind, hint, value, created: isoOffset(createdAt), ends: isoOffsetOrNull(expiresAt) }
}
const ownKey = answerOf<typeof presentOwnKey>('OwnKey', {
  kind: oneOf(KEY_KINDS),
  hint: string,
  value: nullable(string),
  created: time,
  ends: nullable(time),
})

export function presentIssued({ id, kind, name, hint, permissions, createdAt, lastUsedAt, revokedAt }: IssuedKey) {
  return {
    id,
    kind,
    name,
    hint,
    scope: [...permissions] as string[],
    created: isoOffset(createdAt),
    used: isoOffsetOrNull(lastUsedAt),
    revoked: isoOffsetOrNull(revokedAt),
  }
}
const issuedMembers = {
  id: integer,
  kind: oneOf(Object.keys(ISSUED)),
  name: string,
  hint: string,
  scope: list(oneOf([...new Set([...SCOPES, ...PERMISSIONS])])),
  created: time,
  used: nullable(time),
  revoked: nullable(time),
}
export const issuedKey = answerOf<typeof presentIssued>('IssuedKey', issuedMembers)

/** The one answer that has the key. */
export function presentNewIssued(made: IssuedKey & { key: string }) {
  return { ...presentIssued(made), key: made.key }
}
export const newIssuedKey = answerOf<typeof presentNewIssued>('CreatedKey', { ...issuedMembers, key: string })

export const appKeys = object({ own: list(ownKey), issued: list(issuedKey) }, 'AppKeys')

/** The one answer that has the key that replaces another. */
export function presentRotated(kind: KeyKind, key: string, ends: number) {
  return { kind, key, formerEnds: isoOffset(ends) }
}
export const rotatedKey = answerOf<typeof presentRotated>('RotatedKey', {
  kind: oneOf(KEY_KINDS),
  key: string,
  formerEnds: time,
})
