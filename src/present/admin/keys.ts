import { ISSUED, type IssuedKey, PERMISSIONS, SCOPES } from '../../domain/apps/issued-keys.ts'
import type { KeyKind, KeyRecord } from '../../domain/apps/types.ts'
import { SIGNING_MODES, type SigningMode } from '../../domain/crm/types.ts'
import { isoOffset } from '../../platform/time/clock.ts'
import { answer, answerOf, integer, list, nullable, object, oneOf, string, time, told, type Words } from '../schema.ts'
import { CREATED } from '../words.ts'

const OWN_KEY_KIND: Words = [
  '`api` names the app, `secret` is for devices, `server` for your servers, `signing` is what your servers sign users with.',
  'server',
]
const HINT: Words = ['Its first characters.', 'ss_C2FV…']
const KEY: Words = ['It is not shown again.', 'ss_C2FVsBQIhrscChlQIMV-b5sSYspob7oDMfrKTzpNjlA']

/** The kinds of key that people replace in one way. An app has a signing key from when its signed users are first switched on. */
export const KEY_KINDS = ['api', 'secret', 'server', 'signing'] as const satisfies readonly (KeyKind | 'signing')[]
type OwnKind = (typeof KEY_KINDS)[number]
/** Row of a key of the app. Only an API key, which is public, is shown whole. */
const ownKey = answer<Omit<KeyRecord, 'kind'> & { kind: OwnKind }>()('OwnKey', 'A key of the app itself.', {
  kind: told(oneOf(KEY_KINDS), OWN_KEY_KIND),
  hint: told(string, HINT),
  value: told(nullable(string), 'The API key, which is public; null for the others.', null),
  created: told(time, CREATED, ({ createdAt }) => createdAt),
  ends: told(
    nullable(time),
    'When it ends, because another replaced it; null for the current one.',
    null,
    ({ expiresAt }) => expiresAt,
  ),
})
export const presentOwnKey = ownKey.present
const issuedMembers = {
  id: told(integer, 'Number of the key.', 3),
  kind: told(
    oneOf(Object.keys(ISSUED)),
    '`server`: the server API, limited to its scope. `rest`: data tables.',
    'server',
  ),
  name: told(string, 'Label for people.', 'newsletter'),
  hint: told(string, HINT),
  scope: told(
    list(oneOf([...new Set([...SCOPES, ...PERMISSIONS])])),
    '`send`, `read`, `crm` and `admin`, or `create`, `read`, `update` and `delete` of a REST key.',
    ['send'],
    ({ permissions }: IssuedKey) => [...permissions] as string[],
  ),
  created: told(time, CREATED, ({ createdAt }: IssuedKey) => createdAt),
  used: told(
    nullable(time),
    'The last use, exact to an hour; null before the first.',
    '2026-11-23T10:00:00+0000',
    ({ lastUsedAt }: IssuedKey) => lastUsedAt,
  ),
  revoked: told(
    nullable(time),
    'When it was revoked; null while it works.',
    null,
    ({ revokedAt }: IssuedKey) => revokedAt,
  ),
}
export const issuedKey = answer<IssuedKey>()('IssuedKey', 'A key that was made besides.', issuedMembers)
export const presentIssued = issuedKey.present
/** The one answer that has the key. */
export const newIssuedKey = answer<IssuedKey & { key: string }>()('CreatedKey', 'A key with its text.', {
  ...issuedMembers,
  key: told(string, KEY),
})
export const presentNewIssued = newIssuedKey.present

export const appKeys = object('AppKeys', 'The keys of an app.', {
  own: told(list(ownKey), 'API key, secret key, server key and signing key, with those that end soon.'),
  issued: told(list(issuedKey), 'Server keys with scopes, and REST keys.'),
})

/** The one answer that has the key that replaces another. */
export function presentRotated(kind: OwnKind, key: string, ends: number) {
  return { kind, key, formerEnds: isoOffset(ends) }
}
export const rotatedKey = answerOf<typeof presentRotated>('RotatedKey', 'The new key.', {
  kind: told(oneOf(KEY_KINDS), OWN_KEY_KIND),
  key: told(string, KEY, 'sk_C2FVsBQIhrscChlQIMV-b5sSYspob7oDMfrKTzpNjlA'),
  formerEnds: told(time, 'When the old key ends.', '2026-11-23T10:00:00+0000'),
})

const signingMembers = {
  mode: told(
    oneOf(SIGNING_MODES),
    'Devices name users by plain identifiers (`off`), by tokens as well (`optional`), or by tokens only (`require`).',
    'optional',
  ),
}
export const signedUsers = answer<{ mode: SigningMode }>()('SignedUsers', 'How devices name users.', signingMembers)
export const presentSignedUsers = signedUsers.present
/** The one answer that has the first signing key. */
export const changedSignedUsers = answer<{ mode: SigningMode; key: string | null }>()(
  'ChangedSignedUsers',
  'How devices name users, and the first signing key.',
  {
    ...signingMembers,
    key: told(
      nullable(string),
      'The signing key that was made, which is not shown again. Null when the app had one.',
      'uk_C2FVsBQIhrscChlQIMV-b5sSYspob7oDMfrKTzpNjlA',
    ),
  },
)
export const presentChangedSignedUsers = changedSignedUsers.present
