import type { Words } from './types.ts'

/** Gateways of an app, and what Safari calls. */
export const PUSH: Words = {
  operations: {
    'put /v1/apps/:appId': {
      description:
        'Each block replaces the configuration of its platform; platforms without a block stay as they are. Credentials are checked ' +
        'before they are stored, and never shown again.',
      takes: 'GatewayBlocks',
      sends: { web: { iconUrl: 'https://example.com/icon.png' } },
    },
    'get /v1/apps/:appId': { description: 'Returns one entry for each configured gateway, without credentials.' },
    'post /safari/:apiKey/v1/pushPackages/:websitePushId': {
      description: 'Safari asks for it before it shows the prompt. The body is ignored.',
    },
    'post /safari/:apiKey/v2/pushPackages/:websitePushId': {
      description: 'Safari asks for it before it shows the prompt. The body is ignored.',
    },
    ...Object.fromEntries(
      ['v1', 'v2'].flatMap((version) => {
        const path = `/safari/:apiKey/${version}`
        const registration = `${path}/devices/:deviceToken/registrations/:websitePushId`
        const authorized = 'The `Authorization` header holds the token of the push package, as Apple defines it.'
        return [
          [`post ${registration}`, { description: authorized }],
          [`delete ${registration}`, { description: authorized }],
          [
            `post ${path}/log`,
            {
              description: 'The lines go to the log of the service.',
              takes: 'SafariLog',
              sends: { logs: ['Missing file in push package'] },
            },
          ],
        ]
      }),
    ),
  },
  schemas: {
    AppConfiguration: ['Which push gateways an app has.'],
    PlatformConfig: ['A configured gateway.'],
    GatewayBlocks: ['Credentials by platform. At least one block is required.'],
    SafariLog: ['What Safari reports about a push package.'],
  },
  fields: {
    'AppConfiguration.id': ['The `id` of the app.', 1],
    accountId: ['The account that owns the app.', 1],
    platformConfigs: ['The configured gateways.'],
    platformType: ['The platform.', 1],
    'GatewayBlocks.ios': ['APNs: a certificate (`p12`) or a key (`p8` with `keyId`, `teamId` and `topic`).'],
    'GatewayBlocks.android': ['FCM: a service account.'],
    'GatewayBlocks.web': ['Web Push. Keys are generated unless they are given.'],
    'GatewayBlocks.safari': ['Safari before it knew Web Push.'],
    hcm: ["Huawei's Push Kit."],
    mode: ["Which of Apple's two environments the app is built for.", 'production'],
    p12: ['Certificate and key as PKCS #12, in base64.', 'MIIKaQIBAzCCCi8GCSqGSIb3DQEHAaCCCiAEggocMIIKGDCCBM8='],
    password: ['Password of the `p12`.', 'secret'],
    p8: ['Token signing key, PEM.', '-----BEGIN PRIVATE KEY-----\n…\n-----END PRIVATE KEY-----'],
    keyId: ['Id of the key.', 'ABC123DEFG'],
    teamId: ['Apple team id.', 'A1B2C3D4E5'],
    topic: ['Bundle id of the app.', 'com.example.app'],
    serverKey: ['Legacy server key. Accepted, and no longer of use to FCM.', 'AAAA0123456789'],
    serviceAccount: ['The JSON of a service account, in camel case.'],
    projectId: ['Id of the project.', 'example-app'],
    privateKey: ['Private key, PEM.', '-----BEGIN PRIVATE KEY-----\n…\n-----END PRIVATE KEY-----'],
    'vapid.privateKey': ['Private key in base64url.', 'dGhpcyBpcyBub3QgYSByZWFsIGtleSwganVzdCAzMiBieQ'],
    clientEmail: ['E-mail address of the account.', 'push@example-app.iam.gserviceaccount.com'],
    privateKeyId: ['Id of the key.', '0123456789abcdef'],
    clientId: ['Id of the account.', '123456789012345678901'],
    authUri: ['Where the account authenticates.', 'https://accounts.google.com/o/oauth2/auth'],
    tokenUri: ['Where the account gets its tokens.', 'https://oauth2.googleapis.com/token'],
    authProviderX509CertUrl: ['Certificates of the provider.', 'https://www.googleapis.com/oauth2/v1/certs'],
    clientX509CertUrl: ['Certificate of the account.', 'https://www.googleapis.com/robot/v1/metadata/x509/push'],
    iconUrl: ['Icon of notifications.', 'https://example.com/icon.png'],
    subject: ['Whom push services contact: a `mailto:` or `https:` address.', 'mailto:push@example.com'],
    vapid: ['The VAPID key pair of the app, if it has one already.'],
    publicKey: [
      'Public key in base64url.',
      'BNcRdreALRFXTkOOUHK1EtK2wtaz5Ry4YfYCA_0QTpQtUbVlUls0VJXg7A8u-Ts1XbjhazAkj7I99e8QcYP7DkM',
    ],
    rotate: ['True replaces the VAPID keys. Browsers that subscribed with earlier ones stay reachable.', false],
    siteUrl: ['Address of the website.', 'https://example.com'],
    websiteName: ['Name of the website.', 'Example'],
    intermediate: [
      'Intermediate certificate of Apple, PEM.',
      '-----BEGIN CERTIFICATE-----\n…\n-----END CERTIFICATE-----',
    ],
    'hcm.appId': ['App ID of AppGallery Connect.', '100000001'],
    appIdPassword: ['Secret of the app at Huawei.', 'secret'],
    logs: ['Lines. Anything but text is ignored.', ['Missing file in push package']],
    'path.websitePushId': ['Website push id.', 'web.com.example'],
    'path.deviceToken': [
      'Token of the device, in hexadecimal.',
      '1f6ed2f5c1f3a1b0e4d7c8b9a0f1e2d3c4b5a69788796a5b4c3d2e1f00112233',
    ],
  },
}
