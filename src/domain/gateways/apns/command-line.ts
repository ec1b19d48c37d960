import { AppError } from '../../../platform/errors.ts'
import type { Block, FlagFiles, GatewayCommandLine, GivenFlags } from '../gateway.ts'

/** Flags for a certificate with its key; Safari has the same. */
export const P12_FLAGS = {
  p12: { value: 'FILE', description: 'push certificate with its key (PKCS#12)' },
  'password-file': { value: 'FILE', description: 'password of the --p12 file' },
}

export const apnsCommandLine: GatewayCommandLine = {
  flags: {
    ...P12_FLAGS,
    p8: { value: 'FILE', description: 'signing key of the team (.p8)' },
    'key-id': { value: 'ID', description: 'id of the signing key (ten characters); required with --p8' },
    'team-id': { value: 'ID', description: 'id of your Apple team (ten characters); required with --p8' },
    topic: { value: 'BUNDLE', description: 'bundle id for installs that do not report one' },
    mode: {
      value: 'sandbox|production',
      description: 'environment of Apple’s service; required with --p12; default with --p8: production',
    },
    critical: {
      negatable: true,
      description: 'the app has Apple’s entitlement for critical alerts; default: as stored, at first not',
    },
  },
  examples: [
    '--p8 AuthKey_ABC1234567.p8 --key-id ABC1234567 --team-id DEF1234567 --topic com.example.app',
    '--p12 push.p12 --password-file push.p12.password --mode production',
  ],
  async readFlags(given, files) {
    const { p12, p8, topic, mode, critical } = given
    if ((p12 === undefined) === (p8 === undefined)) {
      throw new AppError(
        'usage',
        'ios needs either --p12 FILE --mode sandbox|production, or --p8 FILE --key-id ID --team-id ID',
      )
    }
    const foreign = (p12 === undefined ? ['password-file'] : ['key-id', 'team-id']).filter(
      (name) => given[name] !== undefined,
    )
    if (foreign.length > 0) {
      const used = p12 === undefined ? '--p8' : '--p12'
      throw new AppError('usage', `--${foreign.join(', --')} cannot be used with ${used}`)
    }
    if (p12 !== undefined) {
      if (mode === undefined) throw new AppError('usage', '--p12 needs --mode sandbox or --mode production')
      return { ...(await readP12(given, files)), topic, mode, critical }
    }
    return {
      p8: (await files.bytes(String(p8), '--p8')).toString('utf8'),
      keyId: given['key-id'],
      teamId: given['team-id'],
      topic,
      // A signing key works in both environments; each install says which one its token is from.
      mode: mode ?? 'production',
      critical,
    }
  },
  factLabels: { critical: 'critical alerts' },
}

export async function readP12(given: GivenFlags, files: FlagFiles): Promise<Block> {
  const { p12, 'password-file': passwordFile } = given
  return {
    p12: (await files.bytes(String(p12), '--p12')).toString('base64'),
    ...(typeof passwordFile === 'string' && { password: await files.secret(passwordFile, '--password-file') }),
  }
}
