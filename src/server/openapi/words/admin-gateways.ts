import type { Words } from './types.ts'

const TIME = '2026-11-23T10:00:00+0000'
const INSTALL = '3f0c1f2e-8f5e-4b0b-9a57-0c5f3c5b7f10'
const KEY = 'ss_C2FVsBQIhrscChlQIMV-b5sSYspob7oDMfrKTzpNjlA'

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
    GatewayStates: ['The gateways of an app.'],
    GatewayState: ['A gateway, whether it is configured or not.'],
    GatewayFact: ['Something that was read from a credential.'],
    GatewayHold: ['Why nothing is sent at the moment.'],
    GatewayGuide: ['A gateway and how to configure it.'],
    GatewayWay: ['One kind of credential.'],
    GatewayStep: ['Something to do.'],
    GatewayField: ['A field of the block.'],
    GatewayFieldOption: ['A choice.'],
    RecognisedCredentials: ['What the credentials are.'],
    RecognisedCredential: ['What a credential is.'],
    GatewayFindings: ['What the vendor says.'],
    GatewayFinding: ['One finding.'],
    TryPush: ['A push to try a gateway.'],
    TriedPush: ['The notification that was sent.'],
    Rehearsing: ['The gateways that lead to the sandbox from now on.'],
    NewSandboxPhone: ['A phone to register.'],
    SandboxPhone: ['A phone of the sandbox.'],
    AppKeys: ['The keys of an app.'],
    OwnKey: ['One of the three keys that every app has.'],
    IssuedKey: ['A key that was made besides.'],
    NewKey: ['A key to make.'],
    CreatedKey: ['A key with its text.'],
    KeyRotation: ['How to replace a key.'],
    RotatedKey: ['The new key.'],
    WebhookTest: ['What the endpoint answered.'],
  },
  fields: {
    'GatewayStates.items': ['One for each platform.', []],
    'GatewayStates.sandbox': ['The page of the sandbox to which this server sends; null without one.', null],
    ...of(['GatewayState', 'RecognisedCredential', 'SandboxPhone'], { platform: ['The platform.', 'android'] }),
    'GatewayState.type': ['Its `platformType`.', 2],
    'GatewayState.name': ['For people.', 'Android'],
    'GatewayState.reaches': ['Who is reached.', 'Android with Google services'],
    'GatewayState.state': [
      '`missing`: not configured. `held`: nothing is sent until `held.until`. `cannot_send`: the credential is of a kind that does not send. `expiring`: it ends within 30 days.',
      'ready',
    ],
    ...of(['GatewayState', 'RecognisedCredential'], {
      facts: ['What was read from the credential.', [{ name: 'projectId', label: 'project', values: ['example-app'] }]],
      warnings: ['What may be wrong with it.', []],
      ends: ['When the credential ends; null when it does not.', null],
    }),
    'GatewayState.changed': ['When it was configured last.', TIME],
    'GatewayState.held': ['Null while it sends.', null],
    'GatewayHold.kind': ['What stopped it.', 'config_error'],
    'GatewayHold.reason': ['The word of the vendor.', 'InvalidProviderToken'],
    'GatewayHold.until': ['When it is tried again.', TIME],
    'GatewayFact.name': ['The name of the fact.', 'projectId'],
    'GatewayFact.label': ['The same for people.', 'project'],
    'GatewayFact.values': ['One text or several.', ['example-app']],
    'GatewayGuide.gateway': ['Its state.'],
    'GatewayGuide.removalLoses': ['What is lost when it is removed.', null],
    'GatewayGuide.ways': ['Kinds of credential, the recommended one first.'],
    'GatewayWay.name': ['In addresses.', 'key'],
    'GatewayWay.label': ['For people.', 'Signing key (.p8)'],
    'GatewayWay.about': ['When to choose it.', 'It does not expire.'],
    'GatewayWay.steps': ['In order.'],
    'GatewayWay.fields': ['What makes the block.'],
    'GatewayStep.text': ['What to do.', 'Download the file.'],
    'GatewayStep.url': ['Where.', 'https://developer.apple.com/account'],
    'GatewayField.name': ['Its name in the block; a dot leads into an object.', 'keyId'],
    'GatewayField.kind': [
      '`text-file`: the text of a file, `binary-file`: its base64, `json-file`: its JSON with names in camel case.',
      'text',
    ],
    ...of(['GatewayField', 'GatewayFieldOption'], { label: ['For people.', 'Key id'] }),
    'GatewayField.hint': ['More about it.', 'Ten characters.'],
    'GatewayField.isOptional': ['It may be left out.', true],
    'GatewayField.accept': ['Names of fitting files.', '.p8'],
    'GatewayField.options': ['Of a choice.'],
    'GatewayField.fromFileName': ['A pattern of file names; its first group is the value.', 'AuthKey_([A-Z0-9]{10})'],
    'GatewayField.fact': ['The fact with which the field begins.', 'teamId'],
    'GatewayFieldOption.value': ['What is sent.', 'production'],
    'RecognisedCredentials.items': ['One for each block.', []],
    'RecognisedCredential.sendable': ['Whether it can send.', true],
    'GatewayFindings.findings': ['What was found.'],
    'GatewayFinding.level': ['How bad it is.', 'ok'],
    'GatewayFinding.what': ['What was found.', 'FCM accepts the service account for project example-app'],
    'GatewayFinding.remedy': ['What to do about it.', null],
    'TryPush.to': ['Id of an install or a user.', INSTALL],
    'TryPush.title': ['Absent: `Test`.', 'Test'],
    'TryPush.message': ['Absent: `It works.`', 'It works.'],
    'TriedPush.notification': ['Id of the notification.', 7],
    'Rehearsing.platforms': ['Empty when all were configured.', ['ios', 'android']],
    ...of(['NewSandboxPhone', 'SandboxPhone'], {
      kind: ['What it is.', 'iphone'],
      userId: ['Whose it is. Absent: `sandbox`.', 'anna'],
    }),
    'SandboxPhone.installId': ['Its install.', INSTALL],
    'SandboxPhone.name': ['What the page of the sandbox calls it.', 'iPhone of anna'],
    'AppKeys.own': ['API key, secret key and server key, with those that end soon.'],
    'AppKeys.issued': ['Server keys with scopes, and REST keys.'],
    ...of(['OwnKey', 'RotatedKey'], {
      kind: ['`api` names the app, `secret` is for devices, `server` for your servers.', 'server'],
    }),
    ...of(['IssuedKey', 'CreatedKey', 'NewKey'], {
      kind: ['`server`: the server API, limited to its scope. `rest`: data tables.', 'server'],
      name: ['Label for people.', 'newsletter'],
      scope: ['`send`, `read`, `crm` and `admin`, or `create`, `read`, `update` and `delete` of a REST key.', ['send']],
    }),
    ...of(['IssuedKey', 'CreatedKey'], {
      id: ['Number of the key.', 3],
      used: ['The last use, exact to an hour; null before the first.', TIME],
      revoked: ['When it was revoked; null while it works.', null],
    }),
    ...of(['OwnKey', 'IssuedKey', 'CreatedKey'], {
      hint: ['Its first characters.', 'ss_C2FV…'],
      created: ['When it was made.', TIME],
    }),
    'OwnKey.value': ['The API key, which is public; null for the others.', null],
    'OwnKey.ends': ['When it ends, because another replaced it; null for the current one.', null],
    'CreatedKey.key': ['It is not shown again.', KEY],
    'KeyRotation.graceSeconds': ['How long the old key keeps working.', 86_400],
    'RotatedKey.key': ['It is not shown again.', 'sk_C2FVsBQIhrscChlQIMV-b5sSYspob7oDMfrKTzpNjlA'],
    'RotatedKey.formerEnds': ['When the old key ends.', TIME],
    'WebhookTest.taken': ['It answered 2xx.', true],
    'WebhookTest.status': ['The status of the answer; null when there was none.', 200],
    'WebhookTest.reason': ['What was wrong; null when nothing was.', null],
    'WebhookTest.tookMs': ['How long it took, in milliseconds.', 84],
  },
}

/** The same words for the same member of several schemas. */
function of(schemas: readonly string[], members: NonNullable<Words['fields']>): NonNullable<Words['fields']> {
  const entries = schemas.flatMap((schema) =>
    Object.entries(members).map(([name, words]) => [`${schema}.${name}`, words] as const),
  )
  return Object.fromEntries(entries)
}
