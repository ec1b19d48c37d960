import type { FieldWords } from '../gateway.ts'

/** Descriptions of this block in the interface document. */
export const blockWords: FieldWords = {
  '': ['FCM: a service account.'],
  serverKey: ['Legacy server key. Accepted, and no longer of use to FCM.', 'AAAA0123456789'],
  serviceAccount: ['The JSON of a service account, in camel case.'],
  'serviceAccount.projectId': ['Id of the project.', 'example-app'],
  'serviceAccount.privateKey': ['Private key, PEM.', '-----BEGIN PRIVATE KEY-----\n…\n-----END PRIVATE KEY-----'],
  'serviceAccount.clientEmail': ['E-mail address of the account.', 'push@example-app.iam.gserviceaccount.com'],
  'serviceAccount.privateKeyId': ['Id of the key.', '0123456789abcdef'],
  'serviceAccount.clientId': ['Id of the account.', '123456789012345678901'],
  'serviceAccount.authUri': ['Where the account authenticates.', 'https://accounts.google.com/o/oauth2/auth'],
  'serviceAccount.tokenUri': ['Where the account gets its tokens.', 'https://oauth2.googleapis.com/token'],
  'serviceAccount.authProviderX509CertUrl': [
    'Certificates of the provider.',
    'https://www.googleapis.com/oauth2/v1/certs',
  ],
  'serviceAccount.clientX509CertUrl': [
    'Certificate of the account.',
    'https://www.googleapis.com/robot/v1/metadata/x509/push',
  ],
}
