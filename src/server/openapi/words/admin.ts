import type { Words } from './types.ts'

const EMAIL = 'anna@example.com'
const ONE_TIME = 'once_C2FVsBQIhrscChlQIMV-b5sSYspob7oDMfrKTzpNjlA'
const TOKEN = 'appsvc_pt_C2FVsBQIhrscChlQIMV-b5sSYspob7oDMfrKTzpNjlA'
const TIME = '2026-11-23T10:00:00+0000'
const LATER = '2026-11-30T10:00:00+0000'
const PASSWORD = 'correct horse battery staple'
const ROLES = [{ appId: 1, role: 'marketer' }]
const RESPONSE = { id: 'AbCd', rawId: 'AbCd', type: 'public-key', response: {} }

/** The admin interface: signing in, people, roles, personal tokens, the audit log, apps. */
export const ADMIN: Words = {
  operations: {
    'get /admin/v1/state': { description: 'Needs no credentials. `setup` is true as long as nobody can sign in.' },
    'post /admin/v1/setup': {
      description:
        'Works while there is nobody else. The address is in the output of `appsvc serve`, and works for 30 minutes.',
      takes: 'NewOwner',
      sends: { token: ONE_TIME, email: EMAIL, name: 'Anna', password: PASSWORD },
    },
    'post /admin/v1/sessions': {
      description:
        'The cookie is `HttpOnly` and `SameSite=Strict`. The session ends after 12 hours without use, and after 7 days at the latest. ' +
        'An unknown address and a wrong password get the same answer after the same time.',
      takes: 'SignIn',
      sends: { email: EMAIL, password: PASSWORD, code: '123456' },
    },
    'post /admin/v1/sessions/link': {
      description:
        'An invitation and a forgotten password need a new `password`. A forgotten password ends all sessions, passkeys, personal tokens and the second factor.',
      takes: 'OneTimeSignIn',
      sends: { token: ONE_TIME, password: PASSWORD },
    },
    'post /admin/v1/sessions/passkey/options': {
      description: 'Give the answer to `navigator.credentials.get`. It works for five minutes, once.',
      takes: 'Nothing',
      sends: {},
    },
    'post /admin/v1/sessions/passkey': {
      description: 'A passkey needs neither a name nor a second factor: the device asks for a PIN or a fingerprint.',
      takes: 'PasskeySignIn',
      sends: { response: RESPONSE },
    },
    'get /admin/v1/session': {
      description: 'Answers for a personal token too; then `freshUntil` and `expires` are null.',
    },
    'delete /admin/v1/session': { description: 'The session stops working at once.' },
    'post /admin/v1/session/confirm/options': {
      description: 'Give the answer to `navigator.credentials.get`. It works for five minutes, once.',
      takes: 'Nothing',
      sends: {},
    },
    'post /admin/v1/session/confirm': {
      description: 'Give either `password` (with `code` where the second factor is on) or `response`.',
      takes: 'Confirmation',
      sends: { password: PASSWORD },
    },
    'get /admin/v1/sessions': { description: 'Only those that are open.' },
    'delete /admin/v1/sessions/:id': { description: 'That browser has to sign in again.' },
    'put /admin/v1/me': {
      description:
        'An absent field stays as it is. A new password needs `currentPassword`, and ends your other sessions.',
      takes: 'AccountChange',
      sends: { name: 'Anna' },
    },
    'post /admin/v1/me/totp': {
      description: 'It counts once `PUT` has seen a code of the app.',
      takes: 'Nothing',
      sends: {},
    },
    'put /admin/v1/me/totp': {
      description: 'Each recovery code works once, in place of a code of the app.',
      takes: 'SecondFactorCode',
      sends: { code: '123456' },
    },
    'delete /admin/v1/me/totp': { description: 'The recovery codes end, too.' },
    'get /admin/v1/me/passkeys': { description: 'In the order in which they were added.' },
    'post /admin/v1/me/passkeys/options': {
      description: 'Give the answer to `navigator.credentials.create`. It works for five minutes, once.',
      takes: 'Nothing',
      sends: {},
    },
    'post /admin/v1/me/passkeys': {
      description: 'At most twenty for each person.',
      takes: 'NewPasskey',
      sends: { name: 'Phone', response: RESPONSE },
    },
    'delete /admin/v1/me/passkeys/:id': { description: 'The device may still offer it; it signs nobody in any more.' },
    'get /admin/v1/me/tokens': { description: 'Without the tokens themselves.' },
    'post /admin/v1/me/tokens': {
      description:
        'The token may do what its scopes name and its person may do. `confirmed` opens what asks others for a fresh sign-in. ' +
        'A personal token cannot make another one.',
      takes: 'NewPersonalToken',
      sends: { name: 'laptop', scopes: ['see', 'campaign'], appId: 1, days: 90 },
    },
    'delete /admin/v1/me/tokens/:id': { description: 'Programs that use it get 401.' },
    'get /admin/v1/admins': { description: 'In the order in which they were added. `next` is null on the last page.' },
    'post /admin/v1/admins': {
      description: 'Send the address to that person: it works once, for 30 minutes. `POST …/reset` makes another one.',
      takes: 'NewAdmin',
      sends: { email: 'bert@example.com', name: 'Bert', roles: ROLES },
    },
    'put /admin/v1/admins/:id/roles': {
      description: 'Replaces all roles of the person, from their next call on.',
      takes: 'RolesChange',
      sends: { roles: ROLES },
    },
    'post /admin/v1/admins/:id/reset': {
      description:
        'The present password works until the address is used. Then sessions, passkeys, personal tokens and the second factor end.',
      takes: 'Nothing',
      sends: {},
    },
    'delete /admin/v1/admins/:id': { description: 'Sessions, passkeys and personal tokens of the person end.' },
    'get /admin/v1/audit': {
      description: 'Who did what, when and from where. Rows are kept for `audit.retentionDays`, and never changed.',
    },
    'get /admin/v1/apps': { description: 'Apps in which you have no role are left out.' },
    'post /admin/v1/apps': {
      description: 'An `Idempotency-Key` has no effect here, because a stored answer would hold the keys.',
      takes: 'NewApp',
      sends: { name: 'Bakery' },
    },
    'get /admin/v1/apps/:appId': { description: 'Its name and when it was made.' },
    'delete /admin/v1/apps/:appId': {
      description:
        'Its keys end and nothing more is sent for it. Then its rows are deleted in small steps, which takes minutes for a large app; the answer comes at the end. If it breaks off, repeat it.',
    },
  },
  schemas: {
    AdminSession: ['Who is signed in, and what they may do.'],
    SignedInPerson: ['The person of a session.'],
    AdminRights: ['Rights in the whole server, and in each app that a role names.'],
    AdminRole: ['A role in one app, or in the whole server and every app.'],
    SignInState: ['How people sign in here.'],
    OpenSession: ['One of your sessions.'],
    OpenSessions: ['Your open sessions.'],
    NewOwner: ['The first owner.'],
    SignIn: ['Who signs in.'],
    OneTimeSignIn: ['A one-time address, and what the person chooses.'],
    PasskeySignIn: ['What the browser says.'],
    Confirmation: ['What proves who you are.'],
    AccountChange: ['What to change.'],
    Nothing: ['No fields.'],
    SecondFactorCode: ['A code of the app.'],
    SecondFactorSecret: ['The secret of a second factor.'],
    RecoveryCodes: ['Codes for when the phone is lost.'],
    Passkey: ['A passkey.'],
    Passkeys: ['Your passkeys.'],
    PasskeyOptions: [
      'What the browser needs; see WebAuthn.',
      { challenge: 'bWFrZS0x', timeout: 300_000, rpId: 'push.example.com' },
    ],
    NewPasskey: ['A passkey to add.'],
    PersonalToken: ['A personal token.'],
    PersonalTokens: ['Your personal tokens.'],
    CreatedPersonalToken: ['A personal token with its text.'],
    NewPersonalToken: ['A personal token to make.'],
    Admin: ['Somebody who may use the admin interface.'],
    AdminPage: ['One page of people.'],
    NewAdmin: ['Somebody to invite.'],
    CreatedAdmin: ['Somebody who was invited.'],
    OneTimeLink: ['An address that signs one person in, once.'],
    RolesChange: ['All roles of a person.'],
    AuditEntry: ['Something that somebody did.'],
    AuditEntryPage: ['One page of the audit log.'],
    AdminApp: ['An app.'],
    AdminApps: ['Apps that you have a role in.'],
    CreatedApp: ['An app with its keys.'],
    NewApp: ['An app to create.'],
    Refusal: ['Why the call was refused.'],
  },
  fields: {
    ...of(['Refusal'], {
      error: ['Why the call was refused.', 'a code of your authenticator app, or a recovery code, is needed too'],
      code: ['The same in a word, for programs.', 'second_factor'],
    }),
    ...of(['NewOwner', 'OneTimeSignIn'], {
      token: ['What stands behind `#token=` in the one-time address.', ONE_TIME],
      name: ['The name that others see.', 'Anna'],
      password: ['At least 15 characters.', PASSWORD],
    }),
    ...of(['NewOwner', 'SignIn', 'SignedInPerson', 'Admin', 'NewAdmin', 'CreatedAdmin'], {
      email: ['The address with which the person signs in; capitals do not matter.', EMAIL],
    }),
    ...of(['SignIn', 'Confirmation'], {
      password: ['The password.', PASSWORD],
      code: ['A code of the authenticator app, or a recovery code. Only with a second factor.', '123456'],
    }),
    ...of(['PasskeySignIn', 'Confirmation', 'NewPasskey'], {
      response: ['What the browser returned, as its `toJSON()`.', RESPONSE],
    }),
    ...of(['SignedInPerson', 'Admin', 'CreatedAdmin', 'NewAdmin', 'AccountChange'], {
      name: ['The name that others see.', 'Anna'],
    }),
    ...of(['SignedInPerson', 'Admin', 'CreatedAdmin'], {
      id: ['Number of the person.', 3],
      hasPassword: ['Whether the person has chosen a password; the owner of a demo has none at first.', true],
      hasTotp: ['Whether the second factor is on.', true],
    }),
    'SignedInPerson.passkeys': ['How many passkeys the person has.', 1],
    ...of(['AdminSession', 'Admin', 'CreatedAdmin', 'NewAdmin', 'RolesChange'], {
      roles: ['What the person may do.', ROLES],
    }),
    'AdminSession.person': ['Who is signed in.'],
    'AdminSession.rights': ['What follows from the roles.'],
    'AdminSession.freshUntil': ['Until when what asks for a fresh sign-in is allowed.', TIME],
    'AdminSession.expires': ['When the session ends if it is not used from now on.', LATER],
    ...of(['AdminRole', 'roles'], {
      appId: ['The app. Null: the whole server and every app.', 1],
      role: [
        '`viewer` sees, without personal data of users; `marketer` also sends; `operator` also operates; `owner` may do everything.',
        'marketer',
      ],
    }),
    'AdminRights.server': ['In the whole server and every app.', ['self']],
    'AdminRights.apps': ['In each app that a role names, by its id.', { 1: ['self', 'see', 'campaign'] }],
    'SignInState.setup': [
      'Nobody can sign in yet: the one-time address that `serve` prints makes the first owner.',
      false,
    ],
    'SignInState.passkeys': ['Whether passkeys work at `baseUrl`.', true],
    'SignInState.baseUrl': ['The address of the server; empty when it is not set.', 'https://push.example.com'],
    'OpenSession.id': ['Number of the session.', 12],
    'OpenSession.isCurrent': ['Whether it is the session of this call.', true],
    'OpenSession.address': ['From where the person signed in.', '192.0.2.7'],
    'OpenSession.agent': ['What the browser says that it is.', 'Mozilla/5.0'],
    'OpenSession.created': ['When the person signed in.', TIME],
    'OpenSession.seen': ['The last use, to the minute.', TIME],
    'OpenSession.expires': ['When it ends if it is not used from now on.', LATER],
    'AccountChange.password': ['The new password: at least 15 characters.', PASSWORD],
    'AccountChange.currentPassword': ['The present password. Only with a new one.', PASSWORD],
    'SecondFactorCode.code': ['The code that the app shows.', '123456'],
    'SecondFactorSecret.secret': ['The secret in Base32, for typing.', 'JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP'],
    'SecondFactorSecret.uri': [
      'The same for a QR code.',
      'otpauth://totp/appsvc%3Aanna%40example.com?secret=JBSWY3DPEHPK3PXP&issuer=appsvc',
    ],
    'SecondFactorSecret.qrCode': ['The QR code, an SVG as a data URL.', 'data:image/svg+xml;base64,PHN2Zy8+'],
    'RecoveryCodes.recoveryCodes': ['Ten codes.', ['abcd-efgh-ijkl-mnop']],
    ...of(['OpenSessions', 'Passkeys', 'PersonalTokens', 'AdminPage', 'AuditEntryPage', 'AdminApps'], {
      items: ['The rows.', []],
    }),
    ...of(['Passkey', 'NewPasskey'], { name: ['What you call it.', 'Phone'] }),
    'Passkey.id': ['Number of the passkey.', 4],
    'Passkey.created': ['When it was added.', TIME],
    'Passkey.used': ['The last sign-in with it. Null: none yet.', null],
    ...of(['PersonalToken', 'CreatedPersonalToken', 'NewPersonalToken'], {
      name: ['What you call it.', 'laptop'],
      scopes: ['What it may do, as far as its person may.', ['see', 'campaign']],
      appId: ['The only app that it opens. Null: every app of its person.', 1],
    }),
    ...of(['PersonalToken', 'CreatedPersonalToken'], {
      id: ['Number of the token.', 5],
      hint: ['How it begins.', 'appsvc_pt_C2FV…'],
      created: ['When it was made.', TIME],
      used: ['The last use, to the minute. Null: none yet.', null],
      expires: ['When it ends by itself. Null: never.', LATER],
    }),
    'CreatedPersonalToken.token': ['The token. It is not shown again.', TOKEN],
    'NewPersonalToken.days': ['How many days it works. Absent or null: it does not end by itself.', 90],
    ...of(['Admin', 'CreatedAdmin'], {
      hasPassword: ['Whether the person has chosen a password.', true],
      created: ['When the person was added.', TIME],
    }),
    ...of(['CreatedAdmin', 'OneTimeLink'], {
      link: ['The one-time address. It is not shown again.', `https://push.example.com/console/link#token=${ONE_TIME}`],
      expires: ['Until when it works.', TIME],
    }),
    'AuditEntry.id': ['Number of the row.', 81],
    'AuditEntry.at': ['When it happened.', TIME],
    'AuditEntry.adminId': ['The person. Null: nobody who is known, or the command line.', 3],
    'AuditEntry.who': ['The name of the person at that time.', 'Anna'],
    'AuditEntry.role': ['The role in which the person did it.', 'owner'],
    'AuditEntry.action': ['What was done.', 'admins.roles'],
    'AuditEntry.appId': ['In which app. Null: in the whole server.', 1],
    'AuditEntry.target': ['What it was done to.', 'bert@example.com'],
    'AuditEntry.before': ['How it was before, without secrets.', { roles: [] }],
    'AuditEntry.after': ['How it was then, without secrets.', { roles: ROLES }],
    'AuditEntry.address': ['From where.', '192.0.2.7'],
    'AuditEntryPage.next': ['Give it as `after` for the next page. Null on the last one.', null],
    'AdminPage.next': ['Give it as `after` for the next page. Null on the last one.', null],
    '/v1/audit.query.appId': ['Only of this app.', 1],
    '/v1/audit.query.adminId': ['Only of this person.', 3],
    '/v1/audit.query.action': ['Only this action.', 'admins.roles'],
    '/v1/admins/:id/roles.path.id': ['Number of the person.', 3],
    '/v1/admins/:id/reset.path.id': ['Number of the person.', 3],
    '/v1/admins/:id.path.id': ['Number of the person.', 3],
    ...of(['AdminApp', 'CreatedApp', 'NewApp'], { name: ['Name of the app, for people.', 'Bakery'] }),
    ...of(['AdminApp', 'CreatedApp'], {
      id: ['Number of the app.', 1],
      linkHostLabel: ['The first label of the host of its links.', 'a1f4c05d2e'],
      created: ['When it was made.', TIME],
      updated: ['When it was last changed.', TIME],
    }),
    'CreatedApp.apiKey': ['Names the app in every call; it is public.', 'ak_…'],
    'CreatedApp.serverKey': ['For servers. It is not shown again.', 'sk_…'],
    'CreatedApp.secretKey': ['For the app on devices. It is not shown again.', 'dk_…'],
    'NewApp.accountId': ['The account. Absent: the first one.', 1],
  },
}

/** The same words for the same member of several schemas. */
function of(schemas: readonly string[], members: NonNullable<Words['fields']>): NonNullable<Words['fields']> {
  const entries = schemas.flatMap((schema) =>
    Object.entries(members).map(([name, words]) => [`${schema}.${name}`, words] as const),
  )
  return Object.fromEntries(entries)
}
