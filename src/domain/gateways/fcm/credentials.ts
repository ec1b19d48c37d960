import { createPrivateKey, type KeyObject } from 'node:crypto'
import { canSign } from '../../../platform/crypto/jwt.ts'
import type { FieldErrors } from '../../../platform/errors.ts'
import { isPlainObject } from '../../../platform/json/json.ts'
import { address, check, checked, documented, shape, text } from '../../../platform/values/parse.ts'
import type { CheckedCredential, CredentialFacts } from '../gateway.ts'

/** A Google service account in the contract's spelling. Its addresses are stored and never called. */
export interface ServiceAccount {
  projectId: string
  privateKey: string
  clientEmail: string
  privateKeyId?: string
  clientId?: string
  authUri?: string
  tokenUri?: string
  authProviderX509CertUrl?: string
  clientX509CertUrl?: string
}

/** The sealed part. */
export interface FcmSecret {
  serviceAccount?: ServiceAccount
  serverKey?: string
}

/** The public part. */
export interface FcmFacts extends CredentialFacts {
  kind: 'serviceAccount' | 'serverKey'
  projectId?: string
  clientEmail?: string
  privateKeyId?: string
}

const LEGACY_WARNING =
  'Google has shut down the API that accepts a serverKey (since 22 July 2024), so it cannot send: set serviceAccount'

const webAddress = address(['http', 'https'])

/** Fields of an `android` block. */
export const fcmBlock = shape({
  serverKey: text({ max: 4096 }).matches(/^[\x21-\x7e]+$/, {
    message: 'must be the server key, without spaces or line breaks',
    excludeEmptyString: true,
  }),
  serviceAccount: shape({
    projectId: text({ max: 255 })
      .matches(/^[A-Za-z0-9.:_-]+$/, 'must be the id of a Google project')
      .required(),
    privateKey: documented(checked<string>(judgeKey).required(), { type: 'string', description: 'PEM' }),
    clientEmail: text({ max: 255 }).email('must be an email address').required(),
    privateKeyId: text({ max: 255, empty: true }),
    clientId: text({ max: 255, empty: true }),
    authUri: address(),
    tokenUri: address(),
    authProviderX509CertUrl: webAddress,
    clientX509CertUrl: webAddress,
  }),
})

/**
 * Checks an `android` block: `serviceAccount`, or the legacy `serverKey` (stored, but useless for sending), or both.
 */
export async function checkFcm(
  input: unknown,
  _now: number,
): Promise<{ credential: CheckedCredential } | { errors: FieldErrors }> {
  if (!isPlainObject(input)) return { errors: { '': ['must be an object'] } }
  const errors = check(fcmBlock, input, true)
  if (errors) {
    const why = whichFile(input['serviceAccount'])
    return { errors: why === undefined ? errors : { serviceAccount: [why] } }
  }
  const { serverKey, serviceAccount } = input as { serverKey?: string; serviceAccount?: ServiceAccount }
  if (serverKey === undefined && serviceAccount === undefined) {
    return { errors: { '': ['must have a serviceAccount (or the legacy serverKey)'] } }
  }
  const secret: FcmSecret = {
    ...(serviceAccount && { serviceAccount: normaliseAccount(serviceAccount) }),
    ...(serverKey !== undefined && { serverKey }),
  }
  return { credential: { secret, facts: factsOf(secret), sendable: serviceAccount !== undefined } }
}

/** What a file of Google is that is no service account; undefined when nobody can tell. */
function whichFile(account: unknown): string | undefined {
  if (!isPlainObject(account)) return undefined
  if (['project_info', 'projectInfo'].some((name) => name in account)) {
    return 'is google-services.json, which is built into the app: take the file of Project settings, Service accounts, Generate new private key'
  }
  if (['installed', 'web'].some((name) => isPlainObject(account[name])))
    return 'is an OAuth client, not a service account: take the file of Project settings, Service accounts, Generate new private key'
  const { type } = account
  if (typeof type !== 'string' || type === 'service_account') return undefined
  return `is a file of the type ${JSON.stringify(type.slice(0, 50))}, not a service account`
}

function factsOf({ serviceAccount, serverKey }: FcmSecret): FcmFacts {
  const warnings = serverKey === undefined ? [] : [LEGACY_WARNING]
  if (!serviceAccount) return { kind: 'serverKey', warnings }
  const { projectId, clientEmail, privateKeyId } = serviceAccount
  return { kind: 'serviceAccount', projectId, clientEmail, ...(privateKeyId && { privateKeyId }), warnings }
}

const ACCOUNT_FIELDS = [
  'projectId',
  'privateKey',
  'clientEmail',
  'privateKeyId',
  'clientId',
  'authUri',
  'tokenUri',
  'authProviderX509CertUrl',
  'clientX509CertUrl',
] as const

/** The known fields only, with the key in a form that always parses. */
function normaliseAccount(account: ServiceAccount): ServiceAccount {
  const known = ACCOUNT_FIELDS.filter((field) => account[field] !== undefined).map((field) => [field, account[field]])
  const privateKey = readPrivateKey(account.privateKey)?.export({ format: 'pem', type: 'pkcs8' }).toString()
  return { ...(Object.fromEntries(known) as ServiceAccount), privateKey: privateKey ?? account.privateKey }
}

function judgeKey(value: unknown): FieldErrors {
  if (typeof value !== 'string') return { '': ['must be a string'] }
  const key = readPrivateKey(value)
  if (!key) return { '': ['is not a private key in PEM form (private_key of the service account file)'] }
  return canSign('RS256', key) ? {} : { '': ['must be an RSA key, as in the files from Google'] }
}

/** Keys copied from JSON often contain `\n` as two characters instead of line breaks. */
function readPrivateKey(pem: string): KeyObject | undefined {
  try {
    return createPrivateKey(pem.replaceAll('\\r', '').replaceAll('\\n', '\n').trim())
  } catch {
    return undefined
  }
}

/** Names in Google's file -> names in the contract. */
const GOOGLE_NAMES = {
  project_id: 'projectId',
  private_key_id: 'privateKeyId',
  private_key: 'privateKey',
  client_id: 'clientId',
  client_email: 'clientEmail',
  auth_uri: 'authUri',
  token_uri: 'tokenUri',
  auth_provider_x509_cert_url: 'authProviderX509CertUrl',
  client_x509_cert_url: 'clientX509CertUrl',
} as const

/**
 * A service account file as downloaded (`project_id`, ...) -> an `android` block for `checkFcm`. Values are passed on
 * unchecked; a file that already has the contract's names is only wrapped.
 */
export function fromGoogleFile(file: unknown): { serviceAccount: unknown } {
  if (!isPlainObject(file)) return { serviceAccount: file }
  const known = new Map<string, string>(Object.entries(GOOGLE_NAMES))
  const renamed = Object.entries(file).map(([name, value]) => [known.get(name) ?? name, value])
  return { serviceAccount: Object.fromEntries(renamed) }
}
