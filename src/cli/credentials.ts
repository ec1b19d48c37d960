import type { Platform } from '../domain/gateways/gateway.ts'
import { AppError } from '../platform/errors.ts'
import { isPlainObject, parseJsonBytes } from '../platform/json.ts'
import { readInput, readSecret } from './input/files.ts'
import type { Io } from './io.ts'

/** The flags of `gateways set` that take a value, by the platforms they are for. */
export const CREDENTIAL_FLAGS = {
  ios: ['p12', 'password-file', 'p8', 'key-id', 'team-id', 'topic', 'mode'],
  android: ['service-account', 'server-key-file'],
  web: ['icon-url', 'subject', 'vapid-file', 'rotate'],
  safari: ['p12', 'password-file', 'site-url', 'icon-url', 'website-name', 'intermediate'],
  hcm: ['app-id', 'app-id-password-file'],
} as const satisfies Record<Platform, readonly string[]>

type FlagName = (typeof CREDENTIAL_FLAGS)[Platform][number]
type CredentialFlags = { [N in Exclude<FlagName, 'rotate'>]?: string | undefined } & { rotate?: boolean | undefined }
type Block = Record<string, unknown>

/**
 * Flags and the files they name -> one block of the gateway configuration (`PUT {push_url}/v1/apps/{appId}`, with what we take in
 * addition). Throws `usage` for flags that do not belong together; what is inside, the gateway checks.
 */
export async function readBlock(io: Io, platform: Platform, flags: CredentialFlags): Promise<Block> {
  const all = [...new Set<FlagName>(Object.values(CREDENTIAL_FLAGS).flat())]
  const given = all.filter((name) => flags[name] !== undefined && flags[name] !== false)
  const foreign = given.filter((name) => !(CREDENTIAL_FLAGS[platform] as readonly string[]).includes(name))
  if (foreign.length > 0) throw new AppError('usage', `--${foreign.join(', --')} cannot be used with ${platform}`)
  const streams = given.filter((name) => flags[name] === '-')
  if (streams.length > 1)
    throw new AppError('usage', `only one of --${streams.join(', --')} can be read from standard input`)
  return READERS[platform](io, flags)
}

const READERS: Record<Platform, (io: Io, flags: CredentialFlags) => Promise<Block>> = {
  ios: readIos,
  android: readAndroid,
  web: readWeb,
  safari: readSafari,
  hcm: readHcm,
}

async function readIos(io: Io, flags: CredentialFlags): Promise<Block> {
  const { p12, p8, topic, mode } = flags
  if ((p12 === undefined) === (p8 === undefined)) {
    throw new AppError(
      'usage',
      'ios needs either --p12 FILE --mode sandbox|production, or --p8 FILE --key-id ID --team-id ID',
    )
  }
  const wrong = p12 === undefined ? (['password-file'] as const) : (['key-id', 'team-id'] as const)
  const given = wrong.filter((name) => flags[name] !== undefined)
  if (given.length > 0)
    throw new AppError('usage', `--${given.join(', --')} cannot be used with ${p12 === undefined ? '--p8' : '--p12'}`)
  if (p12 !== undefined) {
    if (mode === undefined) throw new AppError('usage', '--p12 needs --mode sandbox or --mode production')
    return defined({ ...(await readP12(io, p12, flags['password-file'])), topic, mode })
  }
  return defined({
    p8: (await readInput(io, p8!, '--p8')).toString('utf8'),
    keyId: flags['key-id'],
    teamId: flags['team-id'],
    topic,
    // A signing key works in both worlds; each install says which one its token is from.
    mode: mode ?? 'production',
  })
}

async function readP12(io: Io, p12: string, passwordFile: string | undefined): Promise<Block> {
  return {
    p12: (await readInput(io, p12, '--p12')).toString('base64'),
    password: passwordFile === undefined ? undefined : await readSecret(io, passwordFile, '--password-file'),
  }
}

async function readAndroid(io: Io, flags: CredentialFlags): Promise<Block> {
  const account = flags['service-account']
  const serverKey = flags['server-key-file']
  if (account === undefined && serverKey === undefined) {
    throw new AppError('usage', 'android needs --service-account FILE (or the legacy --server-key-file FILE)')
  }
  return defined({
    serviceAccount:
      account === undefined ? undefined : asServiceAccount(await readInput(io, account, '--service-account')),
    serverKey: serverKey === undefined ? undefined : await readSecret(io, serverKey, '--server-key-file'),
  })
}

/** Nothing is needed: a key pair is made when there is none. */
async function readWeb(io: Io, flags: CredentialFlags): Promise<Block> {
  const file = flags['vapid-file']
  if (file !== undefined && flags.rotate) {
    throw new AppError('usage', '--rotate makes a new key pair and cannot be used with --vapid-file, which brings one')
  }
  return defined({
    iconUrl: flags['icon-url'],
    subject: flags.subject,
    vapid: file === undefined ? undefined : asKeyPair(await readInput(io, file, '--vapid-file')),
    rotate: flags.rotate || undefined,
  })
}

/** What tools that make VAPID keys write: JSON with both halves, or the private key alone, as PEM or in base64url. */
function asKeyPair(bytes: Buffer): Block {
  const text = bytes.toString('utf8').trim()
  if (!text.startsWith('{')) return { privateKey: text }
  const file = readJson(bytes, '--vapid-file')
  const privateKey = file.privateKey ?? file.private_key
  if (privateKey === undefined) throw new AppError('invalid', '--vapid-file has no privateKey')
  return defined({ publicKey: file.publicKey ?? file.public_key, privateKey })
}

async function readSafari(io: Io, flags: CredentialFlags): Promise<Block> {
  const missing = (['p12', 'site-url', 'icon-url'] as const).filter((name) => flags[name] === undefined)
  if (missing.length > 0) {
    throw new AppError('usage', 'safari needs --p12 FILE --site-url URL --icon-url URL (and --password-file FILE)')
  }
  const { intermediate } = flags
  return defined({
    ...(await readP12(io, flags.p12!, flags['password-file'])),
    siteUrl: flags['site-url'],
    iconUrl: flags['icon-url'],
    websiteName: flags['website-name'],
    intermediate:
      intermediate === undefined ? undefined : asCertificate(await readInput(io, intermediate, '--intermediate')),
  })
}

/** PEM stays text; the .cer files that Apple hands out are DER. */
function asCertificate(bytes: Buffer): string {
  return bytes.includes('-----BEGIN') ? bytes.toString('utf8') : bytes.toString('base64')
}

async function readHcm(io: Io, flags: CredentialFlags): Promise<Block> {
  const file = flags['app-id-password-file']
  if (flags['app-id'] === undefined || file === undefined) {
    throw new AppError('usage', 'hcm needs --app-id ID --app-id-password-file FILE')
  }
  return { appId: flags['app-id'], appIdPassword: await readSecret(io, file, '--app-id-password-file') }
}

/** The file of the Google console has snake_case names, the contract's block camelCase; both are taken. */
function asServiceAccount(bytes: Buffer): unknown {
  const hint = ': use the one that the Google console lets you download'
  const file = readJson(bytes, '--service-account', hint)
  if (file.type !== undefined && file.type !== 'service_account') {
    throw new AppError(
      'invalid',
      `--service-account is a file of type ${JSON.stringify(file.type)}, not a service account`,
    )
  }
  const { type: _, ...fields } = file
  return Object.fromEntries(Object.entries(fields).map(([name, value]) => [camelCase(name), value]))
}

function readJson(bytes: Buffer, what: string, hint = ''): Block {
  let file: unknown
  try {
    file = parseJsonBytes(bytes)
  } catch {
    throw new AppError('invalid', `${what} is not a JSON file${hint}`)
  }
  if (!isPlainObject(file)) throw new AppError('invalid', `${what} must hold a JSON object`)
  return file
}

function camelCase(name: string): string {
  return name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase())
}

function defined(fields: Block): Block {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined))
}
