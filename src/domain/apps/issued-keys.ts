import { judged, list, oneOf, shape, text } from '../../platform/values/parse.ts'

/** Permissions of a REST key in data tables. */
export const PERMISSIONS = ['create', 'read', 'update', 'delete'] as const
export type Permission = (typeof PERMISSIONS)[number]

/**
 * Scopes of a server key. `send`: send and cancel notifications and in-app messages. `read`: read messages, reports and
 * settings. `crm`: read and change users and subscriptions. `admin`: change settings: gateways, channels, segments,
 * geofences, templates, push templates, links, restraint. The app's own server key may do everything.
 */
export const SCOPES = ['send', 'read', 'crm', 'admin'] as const
export type Scope = (typeof SCOPES)[number]

/** Kinds of key: REST keys give access to data tables, server keys to a part of the API of the app's own server key. */
export type IssuedKind = 'rest' | 'server'

/** The permissions that a key of each kind can have. */
export interface Allowed {
  rest: Permission
  server: Scope
}

/** A key created in addition to the app's own three. The key itself is shown once; only its digest is stored. */
export interface IssuedKey<K extends IssuedKind = IssuedKind> {
  id: number
  appId: number
  kind: K
  name: string
  hint: string
  permissions: readonly Allowed[K][]
  createdAt: number
  /** Time of the last use, exact to an hour; null before the first use. */
  lastUsedAt: number | null
  revokedAt: number | null
}

/** Differences between the kinds: the prefix of a key, its permissions, and its name in messages. */
export const ISSUED: { readonly [K in IssuedKind]: { prefix: string; allowed: readonly Allowed[K][]; noun: string } } =
  {
    rest: { prefix: 'rk', allowed: PERMISSIONS, noun: 'REST key' },
    server: { prefix: 'ss', allowed: SCOPES, noun: 'scoped server key' },
  }

/** Maximum number of valid keys of a kind in one app. */
export const MAX_KEYS = 100

/** Tells whether `key` has the form of a key of the kind; the key need not be valid. */
export function isWrittenAs(kind: IssuedKind, key: string): boolean {
  return key.startsWith(`${ISSUED[kind].prefix}_`)
}

const name = text({ max: 255, empty: true })
const someOf = <T extends string>(allowed: readonly T[], message: string) =>
  list(oneOf(allowed, message), { min: 1, max: allowed.length }).required()
const REST_RULE = `must be one of ${PERMISSIONS.join(', ')}; a server key (--server) has ${SCOPES.join(', ')}`
const SERVER_RULE = `must be one of ${SCOPES.join(', ')}; a REST key (without --server) has ${PERMISSIONS.join(', ')}`

const WORDS = [...SCOPES, ...PERMISSIONS.filter((word) => !(SCOPES as readonly string[]).includes(word))]

/** Body for creating a key of either kind. */
export const createIssuedKey = judged(
  shape({
    kind: oneOf(['server', 'rest']).required(),
    name,
    scope: list(oneOf(WORDS), { min: 1, max: WORDS.length }).required(),
  }).required(),
  ({ kind, scope }) => {
    if ((kind !== 'server' && kind !== 'rest') || !Array.isArray(scope)) return {}
    const allowed: readonly string[] = ISSUED[kind].allowed
    const wrong = scope.some((word) => !allowed.includes(String(word)))
    return wrong ? { scope: [`must be of ${allowed.join(', ')} for a ${ISSUED[kind].noun}`] } : {}
  },
)

/** Body for creating a REST key. */
export const createRestKey = shape({ name, scope: someOf(PERMISSIONS, REST_RULE) }).required()
/** Body for creating a scoped server key. */
export const createServerKey = shape({ name, scope: someOf(SCOPES, SERVER_RULE) }).required()
