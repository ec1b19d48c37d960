import { of, type Words } from './types.ts'

export const EMAIL = 'anna@example.com'
export const ONE_TIME = 'once_C2FVsBQIhrscChlQIMV-b5sSYspob7oDMfrKTzpNjlA'
export const PASSWORD = 'correct horse battery staple'
export const ROLES = [{ appId: 1, role: 'marketer' }]
export const RESPONSE = { id: 'AbCd', rawId: 'AbCd', type: 'public-key', response: {} }

/** The admin interface: signing in, people, roles, personal tokens, the audit log, apps. */
export const ADMIN: Words = {
  schemas: {
    NewOwner: ['The first owner.'],
    SignIn: ['Who signs in.'],
    OneTimeSignIn: ['A one-time link, and what the person chooses.'],
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
    AppChange: ['What changes about an app.'],
  },
  fields: {
    ...of(['NewOwner', 'OneTimeSignIn'], {
      token: ['What stands behind `#token=` in the one-time link.', ONE_TIME],
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
    'AppChange.name': ['Its new name, for people.', 'Bakery'],
    'AppChange.timezone': ['IANA time zone in which people plan for it; null takes it away.', 'Europe/Berlin'],
    'AppChange.iconUrl': [
      'Address or uid of the picture of the app that is its icon; null takes it away.',
      'https://push.example.com/pictures/4f9c2b7e8d1a4c53b6e0f7a912d8c3e4.png',
    ],
    'AppChange.allowDuplicate': ['False: a name that another app has is refused.', true],
    'NewApp.timezone': ['IANA time zone in which people plan for it. Absent: none.', 'Europe/Berlin'],
    'NewApp.allowDuplicate': ['False: a name that another app has is refused.', true],
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
