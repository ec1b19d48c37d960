import type { Platform } from '../../domain/gateways/registry.ts'
import type { GatewayConfig } from '../../domain/gateways/types.ts'
import { PROMPT_TYPES, type Prompt } from '../../domain/gateways/web/prompts.types.ts'
import { answerOf, nullable, oneOf, optional, string, url } from '../schema.ts'

/**
 * What the web SDK gets of its app (docs/reference/device-protocol.md section 6, K1). An empty `publicKey` keeps its
 * prompts off; `safariPushId` is null unless old Safari can be reached.
 */
export function presentWebConfig(configs: readonly GatewayConfig[], prompts: readonly Prompt[]) {
  const factOf = (platform: Platform, fact: string) =>
    configs.find((config) => config.platform === platform)?.facts[fact]
  const [publicKey, iconUrl] = [factOf('web', 'publicKey'), factOf('web', 'iconUrl')]
  const websitePushId = factOf('safari', 'websitePushId')
  return {
    publicKey: typeof publicKey === 'string' ? publicKey : '',
    ...(typeof iconUrl === 'string' && { iconUrl }),
    safariPushId: typeof websitePushId === 'string' ? websitePushId : null,
    // One that cannot be read has no type; an SDK would fail on it.
    prompts: Object.fromEntries(prompts.filter(hasType).map(({ name, uuid, design }) => [name, { uuid, ...design }])),
  }
}

const hasType = ({ design }: Prompt): boolean => typeof (design as { type?: unknown }).type === 'string'

/** A prompt as an operator sees it: what its file says, with every default. */
export function presentPrompt({ name, uuid, design }: Prompt) {
  return { name, uuid, ...design }
}

export const webConfig = answerOf<typeof presentWebConfig>('WebConfig', {
  publicKey: string,
  iconUrl: optional(url),
  safariPushId: nullable(string),
  prompts: {
    type: 'object',
    additionalProperties: {
      title: 'WebPrompt',
      type: 'object',
      properties: { uuid: string, type: oneOf(PROMPT_TYPES) },
      required: ['uuid', 'type'],
      additionalProperties: true,
    },
  },
})
