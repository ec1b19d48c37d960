import { expiryNotice } from '../../domain/gateways/configure/expiry.ts'
import type { CredentialFacts, Finding } from '../../domain/gateways/gateway.ts'
import { FIELD_KINDS, type GatewayGuide } from '../../domain/gateways/guide.ts'
import { findGateway, PLATFORM_TYPES, type Platform, platforms } from '../../domain/gateways/registry.ts'
import type { GatewayConfig, Lane } from '../../domain/gateways/types.ts'
import { PHONE_KINDS, type SandboxPhone } from '../../domain/sandbox/types.ts'
import { isoOffset } from '../../platform/time/clock.ts'
import {
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
  url,
} from '../schema.ts'

/** What a gateway is doing, in a word. */
export const GATEWAY_STATES = ['missing', 'ready', 'held', 'cannot_send', 'expiring', 'expired'] as const

/** What was read from a credential: never a secret, because facts hold none. */
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

const fact = object({ name: string, label: string, values: list(string) }, 'GatewayFact')

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
  platform: oneOf(platforms),
  type: states(PLATFORM_TYPES),
  name: string,
  reaches: string,
  state: oneOf(GATEWAY_STATES),
  facts: list(fact),
  warnings: list(string),
  ends: nullable(time),
  changed: nullable(time),
  held: nullable(object({ kind: nullable(string), reason: nullable(string), until: time }, 'GatewayHold')),
}
const gateway = answerOf<typeof presentGateway>('GatewayState', members)
/** The gateways of an app, and the page of the sandbox to which this server sends. */
export const gatewayStates = object({ items: list(gateway), sandbox: nullable(url) }, 'GatewayStates')

/** A gateway, what is lost with it, and how people get its credential. */
export function presentGatewayGuide(shown: Shown) {
  return {
    gateway: presentGateway(shown),
    removalLoses: findGateway(shown.platform).commandLine.removalLoses ?? null,
    ways: shown.guide.ways,
  }
}

const field = object(
  {
    name: string,
    kind: oneOf(FIELD_KINDS),
    label: string,
    hint: optional(string),
    isOptional: optional(boolean),
    accept: optional(string),
    options: optional(list(object({ value: string, label: string }, 'GatewayFieldOption'))),
    fromFileName: optional(string),
    fact: optional(string),
  },
  'GatewayField',
)
export const gatewayGuide = answerOf<typeof presentGatewayGuide>('GatewayGuide', {
  gateway,
  removalLoses: nullable(string),
  ways: list(
    object(
      {
        name: string,
        label: string,
        about: string,
        steps: list(object({ text: string, url: optional(url) }, 'GatewayStep')),
        fields: list(field),
      },
      'GatewayWay',
    ),
  ),
})

/** What a block would become, before it is stored. */
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
export const recognisedCredentials = object(
  {
    items: list(
      answerOf<typeof presentRecognised>('RecognisedCredential', {
        platform: oneOf(platforms),
        sendable: boolean,
        facts: list(fact),
        warnings: list(string),
        ends: nullable(time),
      }),
    ),
  },
  'RecognisedCredentials',
)

export function presentFinding({ level, what, remedy }: Finding) {
  return { level, what, remedy: remedy ?? null }
}
export const gatewayFindings = object(
  {
    findings: list(
      answerOf<typeof presentFinding>('GatewayFinding', {
        level: oneOf(['ok', 'warning', 'error']),
        what: string,
        remedy: nullable(string),
      }),
    ),
  },
  'GatewayFindings',
)

export function presentPhone({ kind, platform, installId, userId, name }: SandboxPhone) {
  return { kind, platform, installId, userId, name }
}
export const sandboxPhone = answerOf<typeof presentPhone>('SandboxPhone', {
  kind: oneOf(PHONE_KINDS),
  platform: oneOf(platforms),
  installId: string,
  userId: string,
  name: string,
})

/** Which gateways lead to the sandbox now. */
export const rehearsing = object({ platforms: list(oneOf(platforms)) }, 'Rehearsing')
export const triedPush = object({ notification: integer }, 'TriedPush')
