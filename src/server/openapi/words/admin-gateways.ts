import type { Words } from './types.ts'

export const INSTALL = '3f0c1f2e-8f5e-4b0b-9a57-0c5f3c5b7f10'

/** Gateways, the sandbox, keys and webhooks in the console. */
export const ADMIN_GATEWAYS: Words = {
  schemas: {
    TryPush: ['A push to try a gateway.'],
    NewSandboxPhone: ['A phone to register.'],
    NewKey: ['A key to make.'],
    KeyRotation: ['How to replace a key.'],
    SignedUsersChange: ['How devices name users from now on.'],
  },
  fields: {
    'TryPush.to': ['Id of an install or a user.', INSTALL],
    'TryPush.title': ['Absent: `Test`.', 'Test'],
    'TryPush.message': ['Absent: `It works.`', 'It works.'],
    'NewSandboxPhone.kind': ['What it is.', 'iphone'],
    'NewSandboxPhone.userId': ['Whose it is. Absent: `sandbox`.', 'anna'],
    'NewKey.kind': ['`server`: the server API, limited to its scope. `rest`: data tables.', 'server'],
    'NewKey.name': ['Label for people.', 'newsletter'],
    'NewKey.scope': [
      '`send`, `read`, `crm` and `admin`, or `create`, `read`, `update` and `delete` of a REST key.',
      ['send'],
    ],
    'KeyRotation.graceSeconds': ['How long the old key keeps working.', 86_400],
    'SignedUsersChange.mode': ['By plain identifiers, by tokens as well, or by tokens only.', 'optional'],
  },
}
