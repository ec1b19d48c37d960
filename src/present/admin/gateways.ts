import { expiryNotice } from '../../domain/gateways/configure/expiry.ts'
import type { CredentialFacts, Finding } from '../../domain/gateways/gateway.ts'
import { FIELD_KINDS, type GatewayGuide } from '../../domain/gateways/guide.ts'
import { findGateway, PLATFORM_TYPES, type Platform, platforms } from '../../domain/gateways/registry.ts'
import type { GatewayConfig, Lane } from '../../domain/gateways/types.ts'
import { PHONE_KINDS, type SandboxPhone } from '../../domain/sandbox/types.ts'
import { isoOffset } from '../../platform/time/clock.ts'
import {
  answer,
  answerOf,
  boolean,
  integer,
  list,
  nullable,
  object,
  oneOf,
  optional,
  states,
  string,
  time,
  told,
  url,
  type Words,
} from '../schema.ts'
import { BY_PLATFORM, FINDINGS, KIND, LEVEL, PLATFORM_TYPE, REMEDY } from '../words.ts'

const GATEWAY_STATE_NAME: Words = ['For people.', 'Key id']
const FACTS: Words = [
  'What was read from the credential.',
  [{ name: 'projectId', label: 'project', values: ['example-app'] }],
]
const WARNINGS: Words = ['What may be wrong with it.', []]
const ENDS: Words = ['When the credential ends; null when it does not.', null]

/** States of a gateway, one word each. */
export const GATEWAY_STATES = ['missing', 'ready', 'held', 'cannot_send', 'expiring', 'expired'] as const

/** Lists the facts of a credential with their labels. Facts never hold a secret. */
function presentFacts(platform: Platform, { warnings: _warnings, notAfter: _notAfter, ...facts }: CredentialFacts) {
  const labels = findGateway(platform).commandLine.factLabels
  return Object.entries(facts)
    .filter(([, value]) => value !== undefined && value !== null)
    .map(([name, value]) => ({
      name,
      label: labels?.[name] ?? name,
      values: (Array.isArray(value) ? value : [value]).map(textOf),
    }))
}

function textOf(value: unknown): string {
  if (typeof value !== 'object' || value === null) return String(value)
  return 'id' in value ? String(value.id) : JSON.stringify(value)
}

const fact = object('GatewayFact', 'Something that was read from a credential.', {
  name: told(string, 'The name of the fact.', 'projectId'),
  label: told(string, 'The same for people.', 'project'),
  values: told(list(string), 'One text or several.', ['example-app']),
})

interface Shown {
  platform: Platform
  guide: GatewayGuide
  config: GatewayConfig | undefined
  lane: Lane | undefined
  now: number
}

function stateOf({ config, lane, now }: Shown): (typeof GATEWAY_STATES)[number] {
  if (!config) return 'missing'
  if (!config.sendable) return 'cannot_send'
  const { notAfter } = config.facts
  const notice = notAfter === undefined ? undefined : expiryNotice(notAfter, now)
  if (notice === 0) return 'expired'
  if (lane && lane.heldUntil > now) return 'held'
  return notice === undefined ? 'ready' : 'expiring'
}

export function presentGateway(shown: Shown) {
  const { platform, guide, config, lane, now } = shown
  const isHeld = lane !== undefined && lane.heldUntil > now
  return {
    platform,
    type: PLATFORM_TYPES[platform],
    name: guide.name,
    reaches: guide.reaches,
    state: stateOf(shown),
    facts: config ? presentFacts(platform, config.facts) : [],
    warnings: config?.facts.warnings ?? [],
    ends: config?.facts.notAfter === undefined ? null : isoOffset(config.facts.notAfter),
    changed: config ? isoOffset(config.updatedAt) : null,
    held: isHeld ? { kind: lane.holdKind, reason: lane.holdReason, until: isoOffset(lane.heldUntil) } : null,
  }
}

const members = {
  platform: told(oneOf(platforms), PLATFORM_TYPE),
  type: told(states(PLATFORM_TYPES), 'Its `platformType`.', 2),
  name: told(string, GATEWAY_STATE_NAME, 'Android'),
  reaches: told(string, 'Who is reached.', 'Android with Google services'),
  state: told(
    oneOf(GATEWAY_STATES),
    '`missing`: not configured. `held`: nothing is sent until `held.until`. `cannot_send`: the credential ' +
      'is of a kind that does not send. `expiring`: it ends within 30 days.',
    'ready',
  ),
  facts: told(list(fact), FACTS),
  warnings: told(list(string), WARNINGS),
  ends: told(nullable(time), ENDS),
  changed: told(nullable(time), 'When it was configured last; null: never.', '2026-11-23T10:00:00+0000'),
  held: told(
    nullable(
      object('GatewayHold', 'Why nothing is sent at the moment.', {
        kind: told(nullable(string), 'What stopped it.', 'config_error'),
        reason: told(nullable(string), 'The word of the vendor.', 'InvalidProviderToken'),
        until: told(time, 'When it is tried again.', '2026-11-23T10:00:00+0000'),
      }),
    ),
    'Null while it sends.',
    null,
  ),
}
const gateway = answerOf<typeof presentGateway>('GatewayState', 'A gateway, whether it is configured or not.', members)
/** The gateways of an app, and the page of the sandbox to which this server sends. */
export const gatewayStates = object('GatewayStates', 'The gateways of an app.', {
  items: told(list(gateway), BY_PLATFORM),
  sandbox: told(nullable(url), 'The page of the sandbox to which this server sends; null without one.', null),
})

const field = object('GatewayField', 'A field of the block.', {
  name: told(string, 'Its name in the block; a dot leads into an object.', 'keyId'),
  kind: told(
    oneOf(FIELD_KINDS),
    '`text-file`: the text of a file, `binary-file`: its base64, `json-file`: its JSON with names in camel case.',
    'text',
  ),
  label: told(string, GATEWAY_STATE_NAME),
  hint: optional(told(string, 'More about it.', 'Ten characters.')),
  isOptional: optional(told(boolean, 'It may be left out.', true)),
  accept: optional(told(string, 'Names of fitting files.', '.p8')),
  options: optional(
    told(
      list(
        object('GatewayFieldOption', 'A choice.', {
          value: told(string, 'What is sent.', 'production'),
          label: told(string, GATEWAY_STATE_NAME),
        }),
      ),
      'Of a choice.',
    ),
  ),
  fromFileName: optional(
    told(string, 'A pattern of file names; its first group is the value.', 'AuthKey_([A-Z0-9]{10})'),
  ),
  fact: optional(told(string, 'The fact with which the field begins.', 'teamId')),
})
/** A gateway, what is lost with it, and how people get its credential. */
export const gatewayGuide = answer<Shown>()('GatewayGuide', 'A gateway and how to configure it.', {
  gateway: told(gateway, 'Its state.', (shown) => presentGateway(shown)),
  removalLoses: told(
    nullable(string),
    'What is lost when it is removed.',
    null,
    ({ platform }) => findGateway(platform).commandLine.removalLoses ?? null,
  ),
  ways: told(
    list(
      object('GatewayWay', 'One kind of credential.', {
        name: told(string, 'In addresses.', 'key'),
        label: told(string, GATEWAY_STATE_NAME, 'Signing key (.p8)'),
        about: told(string, 'When to choose it.', 'It does not expire.'),
        steps: told(
          list(
            object('GatewayStep', 'Something to do.', {
              text: told(string, 'What to do.', 'Download the file.'),
              url: optional(told(url, 'Where.', 'https://developer.apple.com/account')),
            }),
          ),
          'In order.',
        ),
        fields: told(list(field), 'What makes the block.'),
      }),
    ),
    'Kinds of credential, the recommended one first.',
    ({ guide }) => guide.ways,
  ),
})
export const presentGatewayGuide = gatewayGuide.present

/** Shows what a credentials block means before anything is stored. */
export function presentRecognised(
  platform: Platform,
  { facts, sendable }: { facts: CredentialFacts; sendable: boolean },
) {
  return {
    platform,
    sendable,
    facts: presentFacts(platform, facts),
    warnings: facts.warnings,
    ends: facts.notAfter === undefined ? null : isoOffset(facts.notAfter),
  }
}
export const recognisedCredentials = object('RecognisedCredentials', 'What the credentials are.', {
  items: told(
    list(
      answerOf<typeof presentRecognised>('RecognisedCredential', 'What a credential is.', {
        platform: told(oneOf(platforms), PLATFORM_TYPE),
        sendable: told(boolean, 'Whether it can send.', true),
        facts: told(list(fact), FACTS),
        warnings: told(list(string), WARNINGS),
        ends: told(nullable(time), ENDS),
      }),
    ),
    'One for each block.',
    [],
  ),
})
const gatewayFinding = answer<Finding>()('GatewayFinding', 'One finding.', {
  level: told(oneOf(['ok', 'warning', 'error']), LEVEL),
  what: told(string, FINDINGS),
  remedy: told(nullable(string), REMEDY, ({ remedy }) => remedy ?? null),
})
export const presentFinding = gatewayFinding.present
export const gatewayFindings = object('GatewayFindings', 'What the vendor says.', {
  findings: told(list(gatewayFinding), 'What the check found.'),
})
export const sandboxPhone = answer<SandboxPhone>()('SandboxPhone', 'A phone of the sandbox.', {
  kind: told(oneOf(PHONE_KINDS), KIND, 'iphone'),
  platform: told(oneOf(platforms), PLATFORM_TYPE),
  installId: told(string, 'Its install.', '3f0c1f2e-8f5e-4b0b-9a57-0c5f3c5b7f10'),
  userId: told(string, 'Identifier of its user.', 'anna'),
  name: told(string, 'What the page of the sandbox calls it.', 'iPhone of anna'),
})
export const presentPhone = sandboxPhone.present

/** Answer to a rehearsal: the gateways that now lead to the sandbox. */
export const rehearsing = object('Rehearsing', 'The gateways that lead to the sandbox from now on.', {
  platforms: told(list(oneOf(platforms)), 'Empty when all were configured.', ['ios', 'android']),
})
export const triedPush = object('TriedPush', 'The notification that was sent.', {
  notification: told(integer, 'Id of the notification.', 7),
})
