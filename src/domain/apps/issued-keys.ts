import { list, oneOf, shape, text } from '../../platform/parse.ts'

/** What a REST key may do in the data area. */
export const PERMISSIONS = ['create', 'read', 'update', 'delete'] as const
export type Permission = (typeof PERMISSIONS)[number]

/**
 * What a server key of one's own making may do: `send` notifications and in-app messages, and call them off; `read` what was sent,
 * what became of it and what is set up; `crm` read and change users and who subscribes to channels; `admin` change what is set up:
 * gateways, channels, segments, geofences, templates, links, restraint. The app's own server key may do all of it.
 */
export const SCOPES = ['send', 'read', 'crm', 'admin'] as const
export type Scope = (typeof SCOPES)[number]

/** REST keys open the data area, server keys a part of what the app's own server key opens. */
export type IssuedKind = 'rest' | 'server'

/** What keys of a kind may be allowed to do. */
export interface Allowed {
  rest: Permission
  server: Scope
}

/** A key that was made for one purpose beside the app's own three. The key itself is shown once; the store has its digest. */
export interface IssuedKey<K extends IssuedKind = IssuedKind> {
  id: number
  appId: number
  kind: K
  name: string
  hint: string
  permissions: readonly Allowed[K][]
  createdAt: number
  /** When it was used last, within an hour; null before its first use. */
  lastUsedAt: number | null
  revokedAt: number | null
}

/** How the kinds differ: what a key begins with, what it may do, how people call it. */
export const ISSUED: { readonly [K in IssuedKind]: { prefix: string; allowed: readonly Allowed[K][]; noun: string } } =
  {
    rest: { prefix: 'rk', allowed: PERMISSIONS, noun: 'REST key' },
    server: { prefix: 'ss', allowed: SCOPES, noun: 'scoped server key' },
  }

/** Keys of a kind that an app can have in force. */
export const MOST_KEYS = 100

/** Whether this is written as a key of the kind, in force or not. */
export function isWrittenAs(kind: IssuedKind, key: string): boolean {
  return key.startsWith(`${ISSUED[kind].prefix}_`)
}

const name = text({ max: 255, empty: true })
const someOf = <T extends string>(allowed: readonly T[], message: string) =>
  list(oneOf(allowed, message), { min: 1, max: allowed.length }).required()
const REST_WANTS = `must be one of ${PERMISSIONS.join(', ')}; a server key (--server) has ${SCOPES.join(', ')}`
const SERVER_WANTS = `must be one of ${SCOPES.join(', ')}; a REST key (without --server) has ${PERMISSIONS.join(', ')}`

/** What makes a REST key. */
export const createRestKey = shape({ name, scope: someOf(PERMISSIONS, REST_WANTS) }).required()
/** What makes a scoped server key. */
export const createServerKey = shape({ name, scope: someOf(SCOPES, SERVER_WANTS) }).required()
