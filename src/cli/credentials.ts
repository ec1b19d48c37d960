import { AppError } from '../platform/errors.ts'
import { isPlainObject, parseJsonBytes } from '../platform/parse.ts'
import { readInput, readSecret } from './input.ts'
import type { Io } from './io.ts'

interface CredentialFlags {
  p12?: string | undefined
  'password-file'?: string | undefined
  p8?: string | undefined
  'key-id'?: string | undefined
  'team-id'?: string | undefined
  topic?: string | undefined
  mode?: string | undefined
  'service-account'?: string | undefined
  'server-key-file'?: string | undefined
}

const IOS = ['p12', 'password-file', 'p8', 'key-id', 'team-id', 'topic', 'mode'] as const
const ANDROID = ['service-account', 'server-key-file'] as const

/**
 * Flags and the files they name -> one block of the gateway configuration (`PUT {push_url}/v1/apps/{appId}`, with Apple's
 * signing keys as an addition). Throws `usage` for flags that do not belong together; what is inside, the gateway checks.
 */
export async function readBlock(
  io: Io,
  platform: 'ios' | 'android',
  flags: CredentialFlags,
): Promise<Record<string, unknown>> {
  const foreign = (platform === 'ios' ? ANDROID : IOS).filter((name) => flags[name] !== undefined)
  if (foreign.length > 0) throw new AppError('usage', `--${foreign.join(', --')} cannot be used with ${platform}`)
  const streams = [...IOS, ...ANDROID].filter((name) => flags[name] === '-')
  if (streams.length > 1)
    throw new AppError('usage', `only one of --${streams.join(', --')} can be read from standard input`)
  return platform === 'ios' ? readIos(io, flags) : readAndroid(io, flags)
}

async function readIos(io: Io, flags: CredentialFlags): Promise<Record<string, unknown>> {
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
    const passwordFile = flags['password-file']
    return defined({
      p12: (await readInput(io, p12, '--p12')).toString('base64'),
      password: passwordFile === undefined ? undefined : await readSecret(io, passwordFile, '--password-file'),
      topic,
      mode,
    })
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

async function readAndroid(io: Io, flags: CredentialFlags): Promise<Record<string, unknown>> {
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

/** The file of the Google console has snake_case names, the contract's block camelCase; both are taken. */
function asServiceAccount(bytes: Buffer): unknown {
  let file: unknown
  try {
    file = parseJsonBytes(bytes)
  } catch {
    throw new AppError(
      'invalid',
      '--service-account is not a JSON file: use the one that the Google console lets you download',
    )
  }
  if (!isPlainObject(file)) throw new AppError('invalid', '--service-account must hold a JSON object')
  if (file.type !== undefined && file.type !== 'service_account') {
    throw new AppError(
      'invalid',
      `--service-account is a file of type ${JSON.stringify(file.type)}, not a service account`,
    )
  }
  const { type: _, ...fields } = file
  return Object.fromEntries(Object.entries(fields).map(([name, value]) => [camelCase(name), value]))
}

function camelCase(name: string): string {
  return name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase())
}

function defined(fields: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined))
}
