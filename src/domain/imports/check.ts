import { createHash } from 'node:crypto'
import { isAppError } from '../../platform/errors.ts'
import { isStorable, type SizeLimit, sizeProblem } from '../../platform/json/json.ts'
import { IDENTIFIER_RULE, isIdentifier } from '../crm/schema.ts'
import { readTokenRegistration } from '../crm/tokens.ts'
import { PLATFORM_TYPES } from '../gateways/registry.ts'
import type { Candidate, Ready, SourceName } from './types.ts'

export interface CheckRules {
  source: SourceName
  /** Maximum size of the attributes of a user. */
  maxAttributes: SizeLimit | undefined
  /** Why a Web Push endpoint is refused, or undefined. */
  refusalOfEndpoint(endpoint: string): string | undefined
  /** Users who opted out go on the suppression list, also those without a device. */
  suppressOptedOut?: boolean | undefined
}

/** Channels of one row. */
const MAX_CHANNELS = 100
const MAX_CHANNEL_NAME = 255
/** Said of every token of Expo, in whatever export it stands. */
export const EXPO_ONLY =
  'is a token of Expo, which only Expo can send to: let the app report getDevicePushTokenAsync() and import that token'
const EXPO_TOKEN = /^Expo(?:nent)?PushToken\[/

/** What `iosTokenType` means to an SDK (docs/reference/device-protocol.md section 6). */
const IOS_TOKEN_TYPES = { production: 1, sandbox: 2 }

/**
 * A candidate as it can be stored, or why it cannot. The same row gives the same install id in every run: the id of the
 * service, or a digest of the token where the service has none.
 */
export function checkCandidate(given: Candidate, rules: CheckRules): Ready | { problem: string } {
  const { user, platform } = given
  if (user !== null && !isIdentifier(user)) return { problem: `the user ${IDENTIFIER_RULE}` }
  if (user === null && platform === null) return { problem: 'names neither a device nor a user' }
  const wrong = attributesProblem(given.attributes, rules.maxAttributes) ?? channelsProblem(given.channels)
  if (wrong !== undefined) return { problem: wrong }
  if (platform === null && given.optedOut && !rules.suppressOptedOut) {
    return {
      problem:
        'says that a user opted out, and names no device that could be switched off: --suppress-opted-out puts such users on the suppression list',
    }
  }
  const { enabled, optedOut, isSaid, attributes, channels, words, createdAt, lastActive } = given
  const ready: Ready = {
    installId: null,
    identifier: user,
    platform,
    token: null,
    enabled: enabled && !optedOut,
    optedOut,
    isSaid,
    attributes,
    channels,
    words,
    createdAt,
    lastActive,
  }
  if (platform === null) return ready
  const read = given.reachable ? readToken(given, rules) : undefined
  if (read && 'problem' in read) return read
  const token = read?.token ?? null
  const installId = installIdOf(given, rules.source)
  return installId === undefined ? { problem: 'has neither an id nor a token' } : { ...ready, token, installId }
}

function attributesProblem(attributes: Record<string, unknown>, limit: SizeLimit | undefined): string | undefined {
  const tooLarge = sizeProblem(attributes, limit)
  if (tooLarge !== undefined) return `attributes ${tooLarge}`
  return isStorable(JSON.stringify(attributes)) && !JSON.stringify(attributes).includes('\\u0000')
    ? undefined
    : 'attributes contain NUL or half of a character, which cannot be stored'
}

function channelsProblem(channels: readonly string[]): string | undefined {
  if (channels.length > MAX_CHANNELS) return `is in ${channels.length} channels: at most ${MAX_CHANNELS} are imported`
  const wrong = channels.find((name) => name.length > MAX_CHANNEL_NAME || !isStorable(name))
  return wrong === undefined ? undefined : `has a channel whose name is longer than ${MAX_CHANNEL_NAME} characters`
}

function readToken(given: Candidate, rules: CheckRules): Pick<Ready, 'token'> | { problem: string } {
  const { token, environment, topic, enabled, optedOut } = given
  const platform = given.platform!
  if (typeof token === 'string') {
    if (EXPO_TOKEN.test(token)) return { problem: EXPO_ONLY }
    if (platform === 'ios' && token.length > 100 && token.includes(':')) {
      return {
        problem:
          'is a token of FCM for an iPhone, which APNs does not know: let the app report its APNs token, which Firebase calls apnsToken',
      }
    }
  }
  try {
    const read = readTokenRegistration({
      type: PLATFORM_TYPES[platform],
      token,
      areNotificationsEnabled: enabled && !optedOut,
      iosTokenType: IOS_TOKEN_TYPES[environment ?? 'production'],
      bundleId: topic ?? undefined,
    })
    const refusal = platform === 'web' ? rules.refusalOfEndpoint(read.token) : undefined
    return refusal === undefined ? { token: read } : { problem: `the endpoint is refused: ${refusal}` }
  } catch (error) {
    if (!isAppError(error)) throw error
    const fields = Object.entries(error.details.fields ?? {})
    return { problem: fields.map(([name, [message]]) => `${name} ${message}`).join('; ') || error.message }
  }
}

function installIdOf({ key, platform, token }: Candidate, source: SourceName): string | undefined {
  if (key !== null) {
    const plain = `${source}-${key}`
    return isIdentifier(plain) ? plain : `${source}-${digest(key)}`
  }
  if (token === null || token === undefined) return undefined
  const text = typeof token === 'string' ? token : String((token as { endpoint?: unknown }).endpoint)
  return `${source}-${digest(`${platform} ${text}`)}`
}

function digest(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 32)
}
