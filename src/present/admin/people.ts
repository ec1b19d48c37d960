import type { AuditEntry } from '../../domain/admins/audit/repository.ts'
import type { Passkey } from '../../domain/admins/passkeys/repository.ts'
import type { PersonalToken } from '../../domain/admins/tokens/repository.ts'
import { type Admin, type RoleIn, TOKEN_SCOPES } from '../../domain/admins/types.ts'
import { isoOffset, isoOffsetOrNull } from '../../platform/time/clock.ts'
import type { JsonSchema } from '../../platform/values/parse.ts'
import { answerOf, boolean, free, integer, list, nullable, object, oneOf, pageOf, string, time } from '../schema.ts'
import { roleIn } from './session.ts'

export function presentAdmin({ admin, roles }: { admin: Admin; roles: readonly RoleIn[] }) {
  const { id, email, name, hasPassword, hasTotp, createdAt } = admin
  return {
    id,
    email,
    name,
    hasPassword,
    hasTotp,
    roles: roles.map(({ appId, role }) => ({ appId, role })),
    created: isoOffset(createdAt),
  }
}

const members = {
  id: integer,
  email: string,
  name: string,
  hasPassword: boolean,
  hasTotp: boolean,
  roles: list(roleIn),
  created: time,
}
export const adminRecord = answerOf<typeof presentAdmin>('Admin', members)
export const adminPage = pageOf('items', adminRecord)

/** A one-time address; told once. */
export function presentLink({ link, expiresAt }: { link: string; expiresAt: number }) {
  return { link, expires: isoOffset(expiresAt) }
}
export const oneTimeLink = answerOf<typeof presentLink>('OneTimeLink', { link: string, expires: time })

export function presentNewAdmin(made: Parameters<typeof presentAdmin>[0] & Parameters<typeof presentLink>[0]) {
  return { ...presentAdmin(made), ...presentLink(made) }
}
export const newAdmin = answerOf<typeof presentNewAdmin>('CreatedAdmin', { ...members, link: string, expires: time })

export function presentPasskey({ id, name, createdAt, usedAt }: Passkey) {
  return { id, name, created: isoOffset(createdAt), used: isoOffsetOrNull(usedAt) }
}
export const passkey = answerOf<typeof presentPasskey>('Passkey', {
  id: integer,
  name: string,
  created: time,
  used: nullable(time),
})
export const passkeys = object({ items: list(passkey) }, 'Passkeys')
/** What the browser is given as it is. */
export const passkeyOptions = { ...free, title: 'PasskeyOptions' }

export function presentToken({ id, name, hint, scopes, appId, createdAt, usedAt, expiresAt }: PersonalToken) {
  return {
    id,
    name,
    hint,
    scopes,
    appId,
    created: isoOffset(createdAt),
    used: isoOffsetOrNull(usedAt),
    expires: isoOffsetOrNull(expiresAt),
  }
}
const tokenMembers = {
  id: integer,
  name: string,
  hint: string,
  scopes: list(oneOf(TOKEN_SCOPES)),
  appId: nullable(integer),
  created: time,
  used: nullable(time),
  expires: nullable(time),
}
const personalToken = answerOf<typeof presentToken>('PersonalToken', tokenMembers)
export const personalTokens = object({ items: list(personalToken) }, 'PersonalTokens')

/** The one answer that has the token. */
export function presentNewToken({ token, text }: { token: PersonalToken; text: string }) {
  return { ...presentToken(token), token: text }
}
export const newPersonalToken = answerOf<typeof presentNewToken>('CreatedPersonalToken', {
  ...tokenMembers,
  token: string,
})

export const totpSecret = object({ secret: string, uri: string, qrCode: string }, 'SecondFactorSecret')
export const recoveryCodes = object({ recoveryCodes: list(string) }, 'RecoveryCodes')

export function presentAudit({ id, at, adminId, who, role, action, appId, target, before, after, remote }: AuditEntry) {
  return { id, at: isoOffset(at), adminId, who, role, action, appId, target, before, after, address: remote }
}
/** What a call was given: some take lists. */
const detail: JsonSchema = { type: ['object', 'array', 'null'], additionalProperties: true, items: {} }
export const auditPage = pageOf(
  'items',
  answerOf<typeof presentAudit>('AuditEntry', {
    id: integer,
    at: time,
    adminId: nullable(integer),
    who: string,
    role: nullable(string),
    action: string,
    appId: nullable(integer),
    target: nullable(string),
    before: detail,
    after: detail,
    address: string,
  }),
)
export const signInState = object({ setup: boolean, passkeys: boolean, baseUrl: string }, 'SignInState')
