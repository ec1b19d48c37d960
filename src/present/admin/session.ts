import { endOf } from '../../domain/admins/sessions/service.ts'
import { type Admin, RIGHTS, ROLES, type RoleIn, rightsIn, type Session } from '../../domain/admins/types.ts'
import { isoOffset, isoOffsetOrNull } from '../../platform/time/clock.ts'
import { answerOf, boolean, count, integer, list, nullable, object, oneOf, string, time, told } from '../schema.ts'
import { ADMIN_ID, ADMIN_NAME, ADMIN_ROLES, EMAIL, HAS_TOTP, ITEMS } from '../words.ts'

/**
 * Shows the signed-in person with roles and rights. A personal token has no session: `freshUntil` and `expires` are then null.
 */
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

export const roleIn = object('AdminRole', 'A role in one app, or in the whole server and every app.', {
  appId: told(nullable(integer), 'The app. Null: the whole server and every app.', 1),
  role: told(
    oneOf(ROLES),
    '`viewer` sees, without personal data of users; `marketer` also sends; `operator` also operates; ' +
      '`owner` may do everything.',
    'marketer',
  ),
})
const rights = list(oneOf(RIGHTS))
export const session = answerOf<typeof presentSession>('AdminSession', 'Who is signed in, and what they may do.', {
  person: told(
    object('SignedInPerson', 'The person of a session.', {
      id: told(integer, ADMIN_ID),
      email: told(string, EMAIL),
      name: told(string, ADMIN_NAME),
      hasPassword: told(
        boolean,
        'Whether the person has chosen a password; the owner of a demo has none at first.',
        true,
      ),
      hasTotp: told(boolean, HAS_TOTP),
      passkeys: told(count, 'How many passkeys the person has.', 1),
    }),
    'Who is signed in.',
  ),
  roles: told(list(roleIn), ADMIN_ROLES),
  rights: told(
    object('AdminRights', 'Rights in the whole server, and in each app that a role names.', {
      server: told(rights, 'In the whole server and every app.', ['self']),
      apps: told({ type: 'object', additionalProperties: rights }, 'In each app that a role names, by its id.', {
        '1': ['self', 'see', 'campaign'],
      }),
    }),
    'What follows from the roles.',
  ),
  freshUntil: told(
    nullable(time),
    'Until when calls that need a fresh sign-in are allowed; null: they ask for one now.',
    '2026-11-23T10:00:00+0000',
  ),
  expires: told(
    nullable(time),
    'When the session ends if it is not used from now on; null for a personal token.',
    '2026-11-30T10:00:00+0000',
  ),
})

/** Shows a session of the person who asks. */
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

export const openSessions = object('OpenSessions', 'Your open sessions.', {
  items: told(
    list(
      answerOf<typeof presentOpenSession>('OpenSession', 'One of your sessions.', {
        id: told(integer, 'Number of the session.', 12),
        isCurrent: told(boolean, 'Whether it is the session of this call.', true),
        address: told(string, 'From where the person signed in.', '192.0.2.7'),
        agent: told(string, 'What the browser says that it is.', 'Mozilla/5.0'),
        created: told(time, 'When the person signed in.', '2026-11-23T10:00:00+0000'),
        seen: told(time, 'The last use, to the minute.', '2026-11-23T10:00:00+0000'),
        expires: told(time, 'When it ends if it is not used from now on.', '2026-11-30T10:00:00+0000'),
      }),
    ),
    ITEMS,
  ),
})
