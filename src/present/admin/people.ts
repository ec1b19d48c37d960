import type { AuditEntry } from '../../domain/admins/audit/repository.ts'
import type { Passkey } from '../../domain/admins/passkeys/repository.ts'
import type { PersonalToken } from '../../domain/admins/tokens/repository.ts'
import { type Admin, type RoleIn, TOKEN_SCOPES } from '../../domain/admins/types.ts'
import type { JsonSchema } from '../../platform/values/parse.ts'
import {
  answer,
  boolean,
  free,
  integer,
  list,
  nullable,
  object,
  oneOf,
  pageOf,
  string,
  time,
  told,
  type Words,
  within,
} from '../schema.ts'
import { ADDED_AT, ADMIN_ID, ADMIN_NAME, ADMIN_ROLES, CREATED, EMAIL, HAS_TOTP, ITEMS, TIMESTAMP } from '../words.ts'
import { roleIn } from './session.ts'

const LINK: Words = [
  'The one-time link. It is not shown again.',
  'https://push.example.com/console/link#token=once_C2FVsBQIhrscChlQIMV-b5sSYspob7oDMfrKTzpNjlA',
]
const EXPIRES: Words = ['Until when it works.', '2026-11-23T10:00:00+0000']
const PASSKEY_NAME: Words = ['What you call it.', 'Phone']

interface Person {
  admin: Admin
  roles: readonly RoleIn[]
}

const ofAdmin = ({ admin }: Person) => admin

const members = {
  ...within(ofAdmin, {
    id: told(integer, ADMIN_ID),
    email: told(string, EMAIL),
    name: told(string, ADMIN_NAME),
    hasPassword: told(boolean, 'Whether the person has chosen a password.', true),
    hasTotp: told(boolean, HAS_TOTP),
  }),
  roles: told(list(roleIn), ADMIN_ROLES, ({ roles }: Person) => roles.map(({ appId, role }) => ({ appId, role }))),
  created: told(time, 'When the person was added.', '2026-11-23T10:00:00+0000', ({ admin }: Person) => admin.createdAt),
}
export const adminRecord = answer<Person>()('Admin', 'Somebody who may use the admin interface.', members)
export const presentAdmin = adminRecord.present
export const adminPage = pageOf('items', 'One page of people.', ITEMS, adminRecord)
interface OneTime {
  link: string
  expiresAt: number
}

const linkMembers = {
  link: told(string, LINK),
  expires: told(time, EXPIRES, ({ expiresAt }: OneTime) => expiresAt),
}

/** A one-time link; told once. */
export const oneTimeLink = answer<OneTime>()('OneTimeLink', 'An address that signs one person in, once.', linkMembers)
export const presentLink = oneTimeLink.present

export const newAdmin = answer<Person & OneTime>()('CreatedAdmin', 'Somebody who was invited.', {
  ...members,
  ...linkMembers,
})
export const presentNewAdmin = newAdmin.present
export const passkey = answer<Passkey>()('Passkey', 'A passkey.', {
  id: told(integer, 'Number of the passkey.', 4),
  name: told(string, PASSKEY_NAME),
  created: told(time, ADDED_AT, '2026-11-23T10:00:00+0000', ({ createdAt }) => createdAt),
  used: told(nullable(time), 'The last sign-in with it. Null: none yet.', null, ({ usedAt }) => usedAt),
})
export const presentPasskey = passkey.present
export const passkeys = object('Passkeys', 'Your passkeys.', { items: told(list(passkey), ITEMS) })
/** Options of WebAuthn, passed to the browser unchanged. */
export const passkeyOptions = { ...free, title: 'PasskeyOptions' }
const tokenMembers = {
  id: told(integer, 'Number of the token.', 5),
  name: told(string, PASSKEY_NAME, 'laptop'),
  hint: told(string, 'How it begins.', 'appsvc_pt_C2FV…'),
  scopes: told(list(oneOf(TOKEN_SCOPES)), 'What it may do, as far as its person may.', ['see', 'campaign']),
  appId: told(nullable(integer), 'The only app that it opens. Null: every app of its person.', 1),
  created: told(time, CREATED, ({ createdAt }: PersonalToken) => createdAt),
  used: told(
    nullable(time),
    'The last use, to the minute. Null: none yet.',
    null,
    ({ usedAt }: PersonalToken) => usedAt,
  ),
  expires: told(
    nullable(time),
    'When it ends by itself. Null: never.',
    '2026-11-30T10:00:00+0000',
    ({ expiresAt }: PersonalToken) => expiresAt,
  ),
}
const personalToken = answer<PersonalToken>()('PersonalToken', 'A personal token.', tokenMembers)
export const presentToken = personalToken.present
export const personalTokens = object('PersonalTokens', 'Your personal tokens.', {
  items: told(list(personalToken), ITEMS),
})

interface NewToken {
  token: PersonalToken
  text: string
}

/** The one answer that has the token. */
export const newPersonalToken = answer<NewToken>()('CreatedPersonalToken', 'A personal token with its text.', {
  ...within(({ token }: NewToken) => token, tokenMembers),
  token: told(
    string,
    'The token. It is not shown again.',
    'appsvc_pt_C2FVsBQIhrscChlQIMV-b5sSYspob7oDMfrKTzpNjlA',
    ({ text }: NewToken) => text,
  ),
})
export const presentNewToken = newPersonalToken.present

export const totpSecret = object('SecondFactorSecret', 'The secret of a second factor.', {
  secret: told(string, 'The secret in Base32, for typing.', 'JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP'),
  uri: told(
    string,
    'The same for a QR code.',
    'otpauth://totp/appsvc%3Aanna%40example.com?secret=JBSWY3DPEHPK3PXP&issuer=appsvc',
  ),
  qrCode: told(string, 'The QR code, an SVG as a data URL.', 'data:image/svg+xml;base64,PHN2Zy8+'),
})
export const recoveryCodes = object('RecoveryCodes', 'Codes for when the phone is lost.', {
  recoveryCodes: told(list(string), 'Ten codes.', ['abcd-efgh-ijkl-mnop']),
})
/** State of a thing before or after a call: an object, or a list for calls that change a list. */
const detail: JsonSchema = { type: ['object', 'array', 'null'], additionalProperties: true, items: {} }
const auditEntry = answer<AuditEntry>()('AuditEntry', 'Something that somebody did.', {
  id: told(integer, 'Number of the row.', 81),
  at: told(time, TIMESTAMP, '2026-11-23T10:00:00+0000'),
  adminId: told(nullable(integer), 'The person. Null: nobody who is known, or the command line.', 3),
  who: told(string, 'The name of the person at that time.', 'Anna'),
  role: told(nullable(string), 'The role in which the person did it.', 'owner'),
  action: told(string, 'What was done.', 'admins.roles'),
  appId: told(nullable(integer), 'In which app. Null: in the whole server.', 1),
  target: told(nullable(string), 'What it was done to.', 'bert@example.com'),
  before: told(detail, 'How it was before, without secrets.', { roles: [] }),
  after: told(detail, 'How it was then, without secrets.', { roles: [{ appId: 1, role: 'marketer' }] }),
  address: told(string, 'From where.', '192.0.2.7', ({ remote }) => remote),
})
export const presentAudit = auditEntry.present
export const auditPage = pageOf('items', 'One page of the audit log.', ITEMS, auditEntry)
export const signInState = object('SignInState', 'How people sign in here.', {
  setup: told(boolean, 'Nobody can sign in yet: the one-time link that `serve` prints makes the first owner.', false),
  passkeys: told(boolean, 'Whether passkeys work at `baseUrl`.', true),
  baseUrl: told(string, 'The address of the server; empty when it is not set.', 'https://push.example.com'),
})
