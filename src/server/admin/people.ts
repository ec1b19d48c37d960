import { createAdmin, listAudit, nothing, page, setRoles } from '../../domain/admins/schema.ts'
import type { RoleIn } from '../../domain/admins/types.ts'
import { invalid } from '../../platform/errors.ts'
import {
  adminPage,
  adminRecord,
  auditPage,
  newAdmin,
  oneTimeLink,
  presentAdmin,
  presentAudit,
  presentLink,
  presentNewAdmin,
} from '../../present/admin/people.ts'
import * as example from '../openapi/words/admin.ts'
import { del, get, post, put, type Route } from '../routing/route.ts'
import { consoleAddress } from './one-time.ts'
import { numberOf } from './params.ts'

const OWN = { area: 'admin', needs: 'person', right: 'own' } as const
const PROOF = { ...OWN, fresh: true } as const
const UNKNOWN = { 404: 'There is no such person' }

const rolesOf = (given: readonly { appId?: number | null | undefined; role: RoleIn['role'] }[]): RoleIn[] =>
  given.map(({ appId, role }) => ({ appId: appId ?? null, role }))

export const peopleRoutes: readonly Route[] = [
  get('/v1/admins', {
    ...OWN,
    summary: 'List the people who may use the admin interface',
    description: 'In the order in which they were added. `next` is null on the last page.',
    query: page,
    returns: adminPage,
    run: async ({ tx, query }) => {
      const { people, next } = await tx.admins.list(query)
      return { items: people.map(presentAdmin), next }
    },
  }),
  post('/v1/admins', {
    ...PROOF,
    summary: 'Invite somebody; the answer alone has the one-time link for them',
    description: 'Send the address to that person: it works once, for seven days. `POST …/reset` makes another one.',
    takes: 'NewAdmin',
    sends: { email: 'bert@example.com', name: 'Bert', roles: example.ROLES },
    audit: 'admins.create',
    body: createAdmin,
    status: 201,
    returns: newAdmin,
    run: async ({ tx, body, address, note }) => {
      const roles = rolesOf(body.roles)
      const admin = await tx.admins.add({ email: body.email, name: body.name, password: null, roles })
      const { token, expiresAt } = await tx.admins.linkFor(admin.id, 'invitation')
      note({ target: admin.email, after: { roles } })
      return presentNewAdmin({ admin, roles, link: consoleAddress(address, 'invitation', token), expiresAt })
    },
  }),
  put('/v1/admins/:id/roles', {
    ...PROOF,
    summary: 'Change what somebody may do',
    description: 'Replaces all roles of the person, from their next call on.',
    takes: 'RolesChange',
    sends: { roles: example.ROLES },
    audit: 'admins.roles',
    body: setRoles,
    also: { ...UNKNOWN, 409: 'Nobody would own the server any more' },
    returns: adminRecord,
    run: async ({ tx, body, params, note }) => {
      const id = numberOf(params.id)
      const { admin, roles: before } = await tx.admins.lockRoles(id)
      const roles = rolesOf(body.roles)
      note({ target: admin.email, before: { roles: before }, after: { roles } })
      await tx.admins.setRoles(id, roles)
      return presentAdmin({ admin, roles })
    },
  }),
  post('/v1/admins/:id/reset', {
    ...PROOF,
    summary: 'Make a one-time link with which somebody chooses a new password',
    description:
      'The present password works until the address is used. Then sessions, passkeys, personal tokens and the second factor end. ' +
      'Who was invited and has chosen no password yet gets a new invitation.',
    takes: 'Nothing',
    sends: {},
    audit: 'admins.reset',
    body: nothing,
    also: UNKNOWN,
    returns: oneTimeLink,
    run: async ({ tx, params, address, note }) => {
      const id = numberOf(params.id)
      note({ target: (await tx.admins.get(id)).email })
      const { token, expiresAt } = await tx.admins.linkFor(id, 'reset')
      return presentLink({ link: consoleAddress(address, 'reset', token), expiresAt })
    },
  }),
  del('/v1/admins/:id', {
    ...PROOF,
    summary: 'Take all access away from somebody, at once',
    description: 'Sessions, passkeys and personal tokens of the person end.',
    audit: 'admins.delete',
    status: 204,
    also: { ...UNKNOWN, 422: 'It is you: another owner can delete you', 409: 'Nobody would own the server any more' },
    run: async ({ tx, person, params, note }) => {
      const id = numberOf(params.id)
      if (id === person.id) throw invalid({ id: ['is you: another owner can delete you'] })
      const { admin, roles } = await tx.admins.lockRoles(id)
      note({ target: admin.email, before: { roles } })
      await tx.admins.remove(id)
    },
  }),
  get('/v1/audit', {
    ...OWN,
    summary: 'Read the audit log, the newest first',
    description: 'Who did what, when and from where. Rows are kept for `audit.retentionDays`, and never changed.',
    query: listAudit,
    returns: auditPage,
    run: async ({ tx, query }) => {
      const { appId, adminId, action, after, limit } = query
      const { entries, next } = await tx.audit.list({
        appId: appId ?? undefined,
        adminId: adminId ?? undefined,
        action: action ?? undefined,
        after: after ?? undefined,
        limit,
      })
      return { items: entries.map(presentAudit), next }
    },
  }),
]
