import type { Platform } from '../../domain/gateways/registry.ts'
import type { GatewayConfig } from '../../domain/gateways/types.ts'
import { PROMPT_TYPES, type Prompt } from '../../domain/gateways/web/prompts.types.ts'
import { answerOf, nullable, oneOf, optional, string, told, url } from '../schema.ts'

/**
 * Builds the configuration of the web SDK (docs/reference/device-protocol.md section 6, K1). An empty `publicKey` keeps its
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

export const webConfig = answerOf<typeof presentWebConfig>(
  'WebConfig',
  'What a web page needs before it can ask for permission.',
  {
    publicKey: told(
      string,
      'The VAPID public key; empty without a web gateway.',
      'BNcRdreALRFXTkOOUHK1EtK2wtaz5Ry4YfYCA_0QTpQtUbVlUls0VJXg7A8u-Ts1XbjhazAkj7I99e8QcYP7DkM',
    ),
    iconUrl: optional(told(url, 'Icon of notifications.', 'https://example.com/icon.png')),
    safariPushId: told(nullable(string), 'Website push id; null without a Safari gateway.', 'web.com.example'),
    prompts: told(
      {
        type: 'object',
        additionalProperties: {
          title: 'WebPrompt',
          type: 'object',
          properties: { uuid: string, type: oneOf(PROMPT_TYPES) },
          required: ['uuid', 'type'],
          additionalProperties: true,
        },
      },
      'Prompts by their names.',
    ),
  },
)
