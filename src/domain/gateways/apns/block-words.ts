import type { FieldWords } from '../gateway.ts'

/** Descriptions of this block in the interface document. */
export const blockWords: FieldWords = {
  '': ['APNs: a certificate (`p12`) or a key (`p8` with `keyId`, `teamId` and `topic`).'],
  mode: ["Which of Apple's two environments the app is built for.", 'production'],
  p12: ['Certificate and key as PKCS #12, in base64.', 'MIIKaQIBAzCCCi8GCSqGSIb3DQEHAaCCCiAEggocMIIKGDCCBM8='],
  password: ['Password of the `p12`.', 'secret'],
  p8: ['Token signing key, PEM.', '-----BEGIN PRIVATE KEY-----\n…\n-----END PRIVATE KEY-----'],
  keyId: ['Id of the key.', 'ABC123DEFG'],
  teamId: ['Apple team id.', 'A1B2C3D4E5'],
  topic: ['Bundle id of the app.', 'com.example.app'],
  critical: [
    'Whether the app has Apple’s entitlement for critical alerts. Without it, the stored value stays; at first it is false.',
    true,
  ],
}
