import { integer, table, text, type Value } from '../../platform/db/table.ts'

/**
 * Rights of a person: `self` (nobody else is concerned), `see`, `campaign` (send, segments, templates, push templates, links, channels,
 * geofences, messages, records), `operate` (gateways, keys, health, settings, backup, people's data) and `own` (people
 * and roles, schemas, deleting apps).
 */
export const RIGHTS = ['self', 'see', 'campaign', 'operate', 'own'] as const
export type Right = (typeof RIGHTS)[number]

/** Named sets of rights, the smallest first. */
export const ROLES = ['viewer', 'marketer', 'operator', 'owner'] as const
export type Role = (typeof ROLES)[number]

const RIGHTS_OF: Readonly<Record<Role, readonly Right[]>> = {
  viewer: ['self', 'see'],
  marketer: ['self', 'see', 'campaign'],
  operator: ['self', 'see', 'operate'],
  owner: RIGHTS,
}

/** A role in one app, or with `appId` null in the whole server and every app. */
export interface RoleIn {
  appId: number | null
  role: Role
}

/** The rights of a person in an app, or with null for the whole server. Empty: none at all. */
export function rightsIn(roles: readonly RoleIn[], appId: number | null): Right[] {
  const held = new Set(
    roles.filter((one) => one.appId === null || one.appId === appId).flatMap(({ role }) => RIGHTS_OF[role]),
  )
  return RIGHTS.filter((right) => held.has(right))
}

/** The roles that count in an app, the widest first; for the audit log. */
export function rolesIn(roles: readonly RoleIn[], appId: number | null): Role[] {
  return ROLES.filter((role) =>
    roles.some((one) => one.role === role && (one.appId === null || one.appId === appId)),
  ).toReversed()
}

/** Scopes of a personal token: rights of its person, and `confirmed`, which opens the routes that otherwise need a fresh sign-in. */
export const TOKEN_SCOPES = ['see', 'campaign', 'operate', 'own', 'confirmed'] as const
export type TokenScope = (typeof TOKEN_SCOPES)[number]

/** A person who may use the admin interface. */
export interface Admin {
  id: number
  /** The address in lower case. */
  email: string
  name: string
  hasPassword: boolean
  hasTotp: boolean
  createdAt: number
}

export const SESSIONS = table('admin_sessions', {
  id: integer('id'),
  adminId: integer('admin_id'),
  digest: text('digest'),
  remote: text('remote'),
  agent: text('agent'),
  createdAt: integer('created_at'),
  seenAt: integer('seen_at'),
  freshUntil: integer('fresh_until'),
  expiresAt: integer('expires_at'),
})

/** A session of a browser. */
export type Session = Omit<Value<typeof SESSIONS>, 'digest'>

/** The caller of the admin interface, found by a session or a personal token. */
export interface Caller {
  admin: Admin
  roles: RoleIn[]
  /** Session of the person; undefined for a token. */
  session: Session | undefined
  /** Personal token; undefined for a session. */
  token: { id: number; scopes: readonly TokenScope[]; appId: number | null; usedAt: number | null } | undefined
}

/** Details of an action for its row of the audit log. */
export interface AuditNote {
  /** The object of the action, as people name it. */
  target?: string | undefined
  before?: unknown
  after?: unknown
}
