import { endOf } from '../../domain/admins/sessions/service.ts'
import { type Admin, RIGHTS, ROLES, type RoleIn, rightsIn, type Session } from '../../domain/admins/types.ts'
import { isoOffset, isoOffsetOrNull } from '../../platform/time/clock.ts'
import { answerOf, boolean, count, integer, list, nullable, object, oneOf, string, time } from '../schema.ts'

/** Who is signed in, and what they may do. Without a session (a personal token) nothing is fresh and nothing ends. */
export function presentSession({
  admin,
  passkeys,
  roles,
  session,
}: {
  admin: Admin
  passkeys: number
  roles: readonly RoleIn[]
  session: Session | undefined
}) {
  const apps = [...new Set(roles.flatMap(({ appId }) => appId ?? []))]
  return {
    person: {
      id: admin.id,
      email: admin.email,
      name: admin.name,
      hasPassword: admin.hasPassword,
      hasTotp: admin.hasTotp,
      passkeys,
    },
    roles: roles.map(({ appId, role }) => ({ appId, role })),
    rights: {
      server: rightsIn(roles, null),
      apps: Object.fromEntries(apps.map((id) => [String(id), rightsIn(roles, id)])),
    },
    freshUntil: isoOffsetOrNull(session?.freshUntil),
    expires: isoOffsetOrNull(session && endOf(session)),
  }
}

export const roleIn = object({ appId: nullable(integer), role: oneOf(ROLES) }, 'AdminRole')
const rights = list(oneOf(RIGHTS))
export const session = answerOf<typeof presentSession>('AdminSession', {
  person: object(
    { id: integer, email: string, name: string, hasPassword: boolean, hasTotp: boolean, passkeys: count },
    'SignedInPerson',
  ),
  roles: list(roleIn),
  rights: object({ server: rights, apps: { type: 'object', additionalProperties: rights } }, 'AdminRights'),
  freshUntil: nullable(time),
  expires: nullable(time),
})

/** One of the sessions of the person who asks. */
export function presentOpenSession(one: Session, ownId: number | undefined) {
  return {
    id: one.id,
    isCurrent: one.id === ownId,
    address: one.remote,
    agent: one.agent,
    created: isoOffset(one.createdAt),
    seen: isoOffset(one.seenAt),
    expires: isoOffset(endOf(one)),
  }
}

export const openSessions = object(
  {
    items: list(
      answerOf<typeof presentOpenSession>('OpenSession', {
        id: integer,
        isCurrent: boolean,
        address: string,
        agent: string,
        created: time,
        seen: time,
        expires: time,
      }),
    ),
  },
  'OpenSessions',
)
