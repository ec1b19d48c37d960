import { of, type Words } from './types.ts'

const EMAIL = 'anna@example.com'
const ONE_TIME = 'once_C2FVsBQIhrscChlQIMV-b5sSYspob7oDMfrKTzpNjlA'
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
    NewOwner: ['The first owner.'],
    SignIn: ['Who signs in.'],
    OneTimeSignIn: ['A one-time address, and what the person chooses.'],
    PasskeySignIn: ['What the browser says.'],
    Confirmation: ['What proves who you are.'],
    AccountChange: ['What to change.'],
    Nothing: ['No fields.'],
    SecondFactorCode: ['A code of the app.'],
    PasskeyOptions: [
      'What the browser needs; see WebAuthn.',
      { challenge: 'bWFrZS0x', timeout: 300_000, rpId: 'push.example.com' },
    ],
    NewPasskey: ['A passkey to add.'],
    NewPersonalToken: ['A personal token to make.'],
    NewAdmin: ['Somebody to invite.'],
    RolesChange: ['All roles of a person.'],
    NewApp: ['An app to create.'],
  },
  fields: {
    ...of(['NewOwner', 'OneTimeSignIn'], {
      token: ['What stands behind `#token=` in the one-time address.', ONE_TIME],
      password: ['At least 15 characters.', PASSWORD],
    }),
    ...of(['AccountChange', 'NewAdmin', 'NewOwner', 'OneTimeSignIn'], {
      name: ['The name that others see.', 'Anna'],
    }),
    ...of(['NewAdmin', 'NewOwner', 'SignIn'], {
      email: ['The address with which the person signs in; capitals do not matter.', EMAIL],
    }),
    ...of(['Confirmation', 'SignIn'], {
      password: ['The password.', PASSWORD],
      code: ['A code of the authenticator app, or a recovery code. Only with a second factor.', '123456'],
    }),
    ...of(['Confirmation', 'NewPasskey', 'PasskeySignIn'], {
      response: ['What the browser returned, as its `toJSON()`.', RESPONSE],
    }),
    ...of(['NewAdmin', 'RolesChange'], {
      roles: ['What the person may do.', ROLES],
      'roles.appId': ['The app. Null: the whole server and every app.', 1],
      'roles.role': [
        '`viewer` sees, without personal data of users; `marketer` also sends; `operator` also operates; `owner` may do everything.',
        'marketer',
      ],
    }),
    'AccountChange.password': ['The new password: at least 15 characters.', PASSWORD],
    'AccountChange.currentPassword': ['The present password. Only with a new one.', PASSWORD],
    'SecondFactorCode.code': ['The code that the app shows.', '123456'],
    'NewPasskey.name': ['What you call it.', 'Phone'],
    'NewPersonalToken.name': ['What you call it.', 'laptop'],
    'NewPersonalToken.scopes': ['What it may do, as far as its person may.', ['see', 'campaign']],
    'NewPersonalToken.appId': ['The only app that it opens. Null: every app of its person.', 1],
    'NewPersonalToken.days': ['How many days it works. Absent or null: it does not end by itself.', 90],
    'NewApp.name': ['Name of the app, for people.', 'Bakery'],
    'NewApp.accountId': ['The account. Absent: the first one.', 1],
  },
  parameters: {
    '/v1/audit.query.appId': ['Only of this app.', 1],
    '/v1/audit.query.adminId': ['Only of this person.', 3],
    '/v1/audit.query.action': ['Only this action.', 'admins.roles'],
    '/v1/admins/:id/roles.path.id': ['Number of the person.', 3],
    '/v1/admins/:id/reset.path.id': ['Number of the person.', 3],
    '/v1/admins/:id.path.id': ['Number of the person.', 3],
  },
}
