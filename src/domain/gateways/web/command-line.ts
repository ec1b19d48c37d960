import { AppError } from '../../../platform/errors.ts'
import { readJsonObject } from '../configure/json-file.ts'
import type { Block, GatewayCommandLine } from '../gateway.ts'

export const webCommandLine: GatewayCommandLine = {
  flags: {
    'icon-url': { value: 'URL', description: 'icon of notifications that have none' },
    subject: { value: 'mailto:ADDRESS|URL', description: 'contact for push services in case of problems' },
    'vapid-file': {
      value: 'FILE',
      description: 'existing VAPID keys of your pages; default: the stored keys, or a new key pair the first time',
    },
    rotate: { description: 'create a new VAPID key pair; existing subscriptions keep working' },
  },
  examples: ['--icon-url https://example.com/icon.png --subject mailto:push@example.com'],
  factLabels: { publicKey: 'VAPID public key', iconUrl: 'icon' },
  // A change of keys or subject is not meant to remove the icon.
  keptFacts: ['iconUrl'],
  removalLoses: 'Its keys are lost: browsers that subscribed must subscribe again.',
  /** No flag is required: a key pair is made if there is none. */
  async readFlags(given, files) {
    const file = given['vapid-file']
    if (file !== undefined && given['rotate']) {
      throw new AppError(
        'usage',
        '--rotate makes a new key pair and --vapid-file imports an existing one: use only one of them',
      )
    }
    return {
      iconUrl: given['icon-url'],
      subject: given['subject'],
      ...(typeof file === 'string' && { vapid: asKeyPair(await files.bytes(file, '--vapid-file')) }),
      rotate: given['rotate'] || undefined,
    }
  },
}

/**
 * Reads the output of a tool that makes VAPID keys: JSON with both halves, or the private key alone, as PEM or in
 * base64url.
 */
function asKeyPair(bytes: Buffer): Block {
  const text = bytes.toString('utf8').trim()
  if (!text.startsWith('{')) return { privateKey: text }
  const file = readJsonObject(bytes, '--vapid-file')
  const publicKey = file['publicKey'] ?? file['public_key']
  const privateKey = file['privateKey'] ?? file['private_key']
  if (privateKey === undefined) throw new AppError('invalid', '--vapid-file has no privateKey')
  return { ...(publicKey !== undefined && { publicKey }), privateKey }
}
