import { AppError } from '../../../platform/errors.ts'
import { readJsonObject } from '../configure/json-file.ts'
import type { GatewayCommandLine } from '../gateway.ts'

export const fcmCommandLine: GatewayCommandLine = {
  flags: {
    'service-account': { value: 'FILE', description: 'JSON file from the Google console' },
    'server-key-file': { value: 'FILE', description: 'legacy server key (Google shut down its API)' },
  },
  examples: ['--service-account service-account.json'],
  factLabels: { projectId: 'project', clientEmail: 'account', privateKeyId: 'key id' },
  async readFlags(given, files) {
    const { 'service-account': account, 'server-key-file': serverKey } = given
    if (account === undefined && serverKey === undefined) {
      throw new AppError('usage', 'android needs --service-account FILE (or the legacy --server-key-file FILE)')
    }
    return {
      ...(typeof account === 'string' && {
        serviceAccount: asServiceAccount(await files.bytes(account, '--service-account')),
      }),
      ...(typeof serverKey === 'string' && { serverKey: await files.secret(serverKey, '--server-key-file') }),
    }
  },
}

/** The file of the Google console has snake_case names, the contract's block camelCase; both are accepted. */
function asServiceAccount(bytes: Buffer): unknown {
  const hint = ': use the file that you downloaded from the Google console'
  const file = readJsonObject(bytes, '--service-account', hint)
  if (file['type'] !== undefined && file['type'] !== 'service_account') {
    throw new AppError(
      'invalid',
      `--service-account is a file of type ${JSON.stringify(file['type'])}, not a service account`,
    )
  }
  const { type: _, ...fields } = file
  return Object.fromEntries(Object.entries(fields).map(([name, value]) => [camelCase(name), value]))
}

function camelCase(name: string): string {
  return name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase())
}
