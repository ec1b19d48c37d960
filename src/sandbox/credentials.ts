import { createHash, randomInt, X509Certificate } from 'node:crypto'
import { chmod, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { AppError, messageOf } from '../platform/errors.ts'
import { makeDirectories } from '../platform/files/directories.ts'
import { isPlainObject } from '../platform/json/json.ts'
import {
  type Identity,
  isFresh,
  makeAuthority,
  makeEcKey,
  makeP12,
  makePushIdentity,
  makeRsaKey,
} from './certificates.ts'
import { type StandInCredentials, standInEntries } from './stand-ins.ts'

/** The service account in the shape of the gateway configuration of the API. */
interface ServiceAccount {
  projectId: string
  privateKeyId: string
  privateKey: string
  clientId: string
  clientEmail: string
  authUri: string
  tokenUri: string
  authProviderX509CertUrl: string
  clientX509CertUrl: string
}

/** Credentials for an app, valid only in this sandbox. */
export interface SandboxCredentials extends StandInCredentials {
  /** Client certificate with its key; base64 of the file, and its password. */
  p12: { p12: string; password: string; topics: string[] }
  /** Certificate of a website push id, with its issuer's certificate (PEM): for the `safari` gateway. */
  website: { p12: string; password: string; websitePushId: string; intermediate: string }
  /** Signing key of Apple's kind: PEM text, key id, team id. */
  p8: { p8: string; keyId: string; teamId: string }
  serviceAccount: ServiceAccount
  /** The same account as the JSON file that Google's console hands out. */
  serviceAccountFile: Record<string, string>
}

/** Secrets that a sandbox stores so that credentials keep working after a restart. */
interface Secrets {
  authority: Identity
  serverKey: string
  push: Identity
  topics: string[]
  p12: string
  /** Identity of the website; absent in files of earlier versions. */
  website?: Identity
  password: string
  signingKey: string
  keyId: string
  teamId: string
  projectId: string
  accountKey: string
  accountKeyId: string
}

export type SandboxSecrets = Readonly<Secrets>

const FILE = 'sandbox-secrets.json'
const ID_LETTERS = 'ABCDEFGHJKLMNPQRSTUVWXYZ23456789'

/**
 * Makes the keys and certificates of a sandbox, or reads those of an earlier run from `dir`. The push certificate is
 * made again when the topics have changed or it is about to expire. Throws `AppError('config')` when the file cannot be
 * read.
 */
export async function prepareSecrets(
  { dir, topics, projectId }: { dir?: string | undefined; topics: string[]; projectId: string },
  now: number,
): Promise<SandboxSecrets> {
  const kept = dir === undefined ? undefined : await readSecrets(join(dir, FILE))
  const usable = kept && isFresh(kept.authority.cert, now) ? { ...kept, projectId } : undefined
  const isKept = usable && isFresh(usable.push.cert, now) && usable.topics.join() === topics.join()
  if (isKept && usable.website && isFresh(usable.website.cert, now)) return usable
  const secrets = usable ? reissue(usable, topics, isKept === true, now) : await makeSecrets({ topics, projectId }, now)
  if (dir !== undefined) await writeSecrets(dir, secrets)
  return secrets
}

/** The credentials for operators. `tokenUri` is the address of the sandbox's token call. */
export function credentialsOf(secrets: SandboxSecrets, tokenUri: string): SandboxCredentials {
  const clientEmail = clientEmailOf(secrets)
  const origin = new URL(tokenUri).origin
  const serviceAccount: ServiceAccount = {
    projectId: secrets.projectId,
    privateKeyId: secrets.accountKeyId,
    privateKey: secrets.accountKey,
    clientId: '100000000000000000001',
    clientEmail,
    authUri: `${origin}/auth`,
    tokenUri,
    authProviderX509CertUrl: `${origin}/oauth2/v1/certs`,
    clientX509CertUrl: `${origin}/robot/v1/metadata/x509/${encodeURIComponent(clientEmail)}`,
  }
  return {
    p12: { p12: secrets.p12, password: secrets.password, topics: [...secrets.topics] },
    website: {
      p12: makeP12(websiteOf(secrets), secrets.password).toString('base64'),
      password: secrets.password,
      websitePushId: websitePushIdOf(secrets),
      intermediate: secrets.authority.cert,
    },
    p8: { p8: secrets.signingKey, keyId: secrets.keyId, teamId: secrets.teamId },
    serviceAccount,
    serviceAccountFile: {
      type: 'service_account',
      project_id: serviceAccount.projectId,
      private_key_id: serviceAccount.privateKeyId,
      private_key: serviceAccount.privateKey,
      client_email: clientEmail,
      client_id: serviceAccount.clientId,
      auth_uri: serviceAccount.authUri,
      token_uri: tokenUri,
      auth_provider_x509_cert_url: serviceAccount.authProviderX509CertUrl,
      client_x509_cert_url: serviceAccount.clientX509CertUrl,
      universe_domain: 'googleapis.com',
    },
    ...standInCredentials(secrets),
  }
}

/** Blocks of the gateway configuration, by platform, that make an app send to this sandbox. Safari needs a website besides. */
export function blocksOf(credentials: SandboxCredentials): Record<string, Record<string, unknown>> {
  const { p12, serviceAccount } = credentials
  return {
    ios: { p12: p12.p12, password: p12.password, mode: 'production' },
    android: { serviceAccount },
    web: {},
    ...Object.fromEntries(standInEntries.map(([name]) => [name, { ...credentials[name] }])),
  }
}

/** The credentials of the stand-ins, derived from the stored secrets, so that a sandbox of an earlier version has them too. */
export function standInCredentials({ accountKey }: SandboxSecrets): StandInCredentials {
  const secretOf = (name: string) => createHash('sha256').update(`${name} ${accountKey}`).digest('hex')
  return Object.fromEntries(
    standInEntries.map(([name, { credential }]) => [name, credential(secretOf(name))]),
  ) as unknown as StandInCredentials
}

/** Writes the credentials as the files that vendors hand out to operators, for the `gateways set` command. */
export async function writeCredentialFiles(dir: string, credentials: SandboxCredentials, caPem: string): Promise<void> {
  prepareFolder(dir)
  const { p12, website, p8, serviceAccountFile } = credentials
  // The file is public, but anybody who could change it could make us trust any certificate.
  await writeSecret(join(dir, 'ca.pem'), caPem)
  await writeSecret(join(dir, 'push.p12'), Buffer.from(p12.p12, 'base64'))
  await writeSecret(join(dir, 'push.p12.password'), `${p12.password}\n`)
  await writeSecret(join(dir, 'website.p12'), Buffer.from(website.p12, 'base64'))
  await writeSecret(join(dir, 'website.p12.password'), `${website.password}\n`)
  await writeSecret(join(dir, `AuthKey_${p8.keyId}.p8`), p8.p8)
  await writeSecret(join(dir, 'service-account.json'), `${JSON.stringify(serviceAccountFile, null, 2)}\n`)
  for (const [name, { files }] of standInEntries) {
    for (const [file, text] of Object.entries(files(credentials[name]))) await writeSecret(join(dir, file), text)
  }
}

export function clientEmailOf({ projectId }: SandboxSecrets): string {
  return `firebase-adminsdk@${projectId}.iam.gserviceaccount.com`
}

/** The topics of each client certificate, by its fingerprint as Node names it. */
export function topicsByFingerprint(secrets: SandboxSecrets): Map<string, readonly string[]> {
  const fingerprintOf = ({ cert }: Identity) => new X509Certificate(cert).fingerprint256
  return new Map([
    [fingerprintOf(secrets.push), secrets.topics],
    [fingerprintOf(websiteOf(secrets)), [websitePushIdOf(secrets)]],
  ])
}

function websitePushIdOf({ topics }: Pick<Secrets, 'topics'>): string {
  return `web.${topics[0]!}`
}

function websiteOf({ website }: SandboxSecrets): Identity {
  if (!website) throw new Error('prepareSecrets makes the certificate of the website')
  return website
}

/** Uses the key of the push certificate; only the certificate differs. */
function makeWebsiteIdentity(
  { key, authority, topics, teamId }: { key: string; authority: Identity; topics: string[]; teamId: string },
  now: number,
): Identity {
  const topic = websitePushIdOf({ topics })
  return makePushIdentity({ key, authority, topics: [topic], teamId, name: `Website Push ID: ${topic}` }, now)
}

async function makeSecrets(
  { topics, projectId }: { topics: string[]; projectId: string },
  now: number,
): Promise<Secrets> {
  const [authorityKey, serverKey, pushKey, accountKey] = await Promise.all([
    makeRsaKey(),
    makeRsaKey(),
    makeRsaKey(),
    makeRsaKey(),
  ])
  const authority = makeAuthority(authorityKey, now)
  const teamId = randomId()
  const password = 'sandbox'
  const push = makePushIdentity({ key: pushKey, authority, topics, teamId }, now)
  return {
    authority,
    serverKey,
    push,
    topics,
    p12: makeP12(push, password).toString('base64'),
    website: makeWebsiteIdentity({ key: pushKey, authority, topics, teamId }, now),
    password,
    signingKey: await makeEcKey(),
    keyId: randomId(),
    teamId,
    projectId,
    accountKey,
    accountKeyId: Array.from({ length: 40 }, () => randomInt(16).toString(16)).join(''),
  }
}

/** `keepPush`: renews only the website's certificate, so that credentials with the other stay valid. */
function reissue(secrets: Secrets, topics: string[], keepPush: boolean, now: number): Secrets {
  const { authority, teamId, password } = secrets
  const website = makeWebsiteIdentity({ key: secrets.push.key, authority, topics, teamId }, now)
  if (keepPush) return { ...secrets, website }
  const push = makePushIdentity({ key: secrets.push.key, authority, topics, teamId }, now)
  return { ...secrets, push, topics, website, p12: makeP12(push, password).toString('base64') }
}

/** Ten characters, as Apple's key and team ids. */
function randomId(): string {
  return Array.from({ length: 10 }, () => ID_LETTERS[randomInt(ID_LETTERS.length)]).join('')
}

async function readSecrets(file: string): Promise<Secrets | undefined> {
  let text: string
  try {
    text = await readFile(file, 'utf8')
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined
    throw new AppError('config', `cannot read ${file}: ${messageOf(error)}`)
  }
  try {
    const value: unknown = JSON.parse(text)
    if (isPlainObject(value) && isPlainObject(value['authority']) && 'accountKeyId' in value)
      return value as unknown as Secrets
  } catch {
    // Falls through to the error below, which covers every kind of damage.
  }
  throw new AppError(
    'config',
    `${file} is not a file of this sandbox: delete it, and the sandbox makes new credentials`,
  )
}

async function writeSecrets(dir: string, secrets: Secrets): Promise<void> {
  prepareFolder(dir)
  await writeSecret(join(dir, FILE), JSON.stringify(secrets))
}

/** Throws `config` for a folder that cannot be created. */
function prepareFolder(dir: string): void {
  try {
    makeDirectories(dir)
  } catch (error) {
    throw new AppError('config', `the folder ${dir} cannot be created: ${messageOf(error)}; choose another with --dir`)
  }
}

async function writeSecret(file: string, content: string | Buffer): Promise<void> {
  await writeFile(file, content, { mode: 0o600 })
  // The mode above applies only to new files.
  await chmod(file, 0o600)
}
