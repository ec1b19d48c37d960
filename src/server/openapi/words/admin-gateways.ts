import type { Words } from './types.ts'

const INSTALL = '3f0c1f2e-8f5e-4b0b-9a57-0c5f3c5b7f10'

/** Gateways, the sandbox, keys and webhooks in the console. */
export const ADMIN_GATEWAYS: Words = {
  operations: {
    'get /admin/v1/apps/:appId/gateway-states': {
      description: 'Facts are what was read from the credential; secrets are never among them.',
    },
    'get /admin/v1/apps/:appId/gateways/:platform': {
      description: 'The steps to get the credential, and the fields of the block that `PUT …/gateways` takes.',
    },
    'post /admin/v1/apps/:appId/gateways/recognise': {
      description: 'Takes the body of `PUT …/gateways` and checks it in the same way. Nothing is stored.',
      takes: 'GatewayBlocks',
      sends: { web: { iconUrl: 'https://example.com/icon.png' } },
    },
    'post /admin/v1/apps/:appId/gateways/:platform/check': {
      description:
        'Findings tell the problem and its remedy. What has not answered after 30 seconds is reported as such.',
    },
    'post /admin/v1/apps/:appId/push-tries': {
      description:
        'A notification of its own that lives for ten minutes. `GET …/notifications/{id}` tells what became of it.',
      takes: 'TryPush',
      sends: { to: INSTALL },
    },
    'post /admin/v1/apps/:appId/sandbox': {
      description:
        'Works where the setting `sandbox.url` names a running sandbox. Gateways that are configured stay as they are.',
    },
    'post /admin/v1/apps/:appId/sandbox/phones': {
      description: 'The server gets what the SDK of such a phone reports on its first start.',
      takes: 'NewSandboxPhone',
      sends: { kind: 'iphone', userId: 'anna' },
    },
    'get /admin/v1/apps/:appId/keys': {
      description: 'The keys of the app itself that work, and all that were issued, with those that were revoked.',
    },
    'post /admin/v1/apps/:appId/keys': {
      description: 'An `Idempotency-Key` has no effect here, because a stored answer would hold the key.',
      takes: 'NewKey',
      sends: { kind: 'server', name: 'newsletter', scope: ['send', 'read'] },
    },
    'delete /admin/v1/apps/:appId/keys/:id': { description: 'A key that was revoked stays in the list.' },
    'post /admin/v1/apps/:appId/keys/:kind/rotate': {
      description:
        '`kind` is `api`, `secret` or `server`. The old key works for `graceSeconds` more. The secret key is compiled into apps: ' +
        'give them time to be updated.',
      takes: 'KeyRotation',
      sends: { graceSeconds: 86_400 },
    },
    'post /admin/v1/apps/:appId/webhooks/:id/test': {
      description: 'The message has the type `appsvc.test` and no event. It is not repeated and not stored.',
    },
  },
  schemas: {
    TryPush: ['A push to try a gateway.'],
    NewSandboxPhone: ['A phone to register.'],
    NewKey: ['A key to make.'],
    KeyRotation: ['How to replace a key.'],
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
  },
}
