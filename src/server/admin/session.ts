import { AppError } from '../../platform/errors.ts'
import { openSessions, presentOpenSession, presentSession, session } from '../../present/admin/session.ts'
import { del, get, Reply, type Route } from '../routing/route.ts'
import { requireSession } from './me.ts'
import { noCookies } from './origin.ts'
import { numberOf } from './params.ts'

const SELF = { area: 'admin', needs: 'person', right: 'self' } as const

export const sessionRoutes: readonly Route[] = [
  get('/v1/session', {
    ...SELF,
    summary: 'Say who is signed in and what they may do',
    description: 'Answers for a personal token too; then `freshUntil` and `expires` are null.',
    returns: session,
    run: async ({ tx, person }) =>
      presentSession({
        admin: await tx.admins.get(person.id),
        passkeys: await tx.admins.countPasskeys(person.id),
        roles: person.roles,
        session: person.session,
      }),
  }),
  del('/v1/session', {
    ...SELF,
    summary: 'Sign out',
    description: 'The session stops working at once.',
    audit: 'sessions.end',
    status: 204,
    headers: {
      'Set-Cookie': ['Forgets the session.', '__Host-appsvc=; Path=/; Max-Age=0; HttpOnly; SameSite=Strict; Secure'],
    },
    run: async ({ tx, person }) => {
      if (!person.session) throw new AppError('forbidden', 'a personal token has no session: delete the token instead')
      await tx.sessions.end(person.id, person.session.id)
      return new Reply(204, undefined, {}, noCookies())
    },
  }),
  get('/v1/sessions', {
    ...SELF,
    summary: 'List your open sessions',
    description: 'Only those that are open.',
    returns: openSessions,
    run: async ({ tx, person }) => ({
      items: (await tx.sessions.list(person.id)).map((one) => presentOpenSession(one, person.session?.id)),
    }),
  }),
  del('/v1/sessions/:id', {
    ...SELF,
    summary: 'End one of your sessions',
    description: 'That browser has to sign in again.',
    audit: 'sessions.end',
    status: 204,
    also: { 404: 'You have no such session' },
    run: async ({ tx, person, params, note }) => {
      requireSession(person)
      note({ target: params.id! })
      await tx.sessions.end(person.id, numberOf(params.id))
    },
  }),
]
