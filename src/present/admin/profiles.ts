import { BUILD_KINDS, type Install, type UserWithInstalls } from '../../domain/crm/types.ts'
import { platformOf } from '../../domain/gateways/registry.ts'
import {
  type FoundProfiles,
  MOMENT_KINDS,
  type Moment,
  type Profile,
  type Suggestion,
  type Timeline,
  type TokenState,
  type Understood,
  type Verdict,
} from '../../domain/profiles/types.ts'
import { isoOffset, isoOffsetOrNull } from '../../platform/time/clock.ts'
import { presentChosen } from '../api/consent.ts'
import {
  answerOf,
  boolean,
  count,
  free,
  integer,
  list,
  nullable,
  object,
  oneOf,
  optional,
  string,
  time,
} from '../schema.ts'

/** How an install stands with pushes. */
const PUSH_STATES = ['ready', 'off', 'retired', 'none'] as const

function pushStateOf({ subscribed, notificationsEnabled }: Install, token: TokenState | undefined) {
  if (subscribed) return 'ready'
  if (!notificationsEnabled) return 'off'
  return token?.retired ? 'retired' : 'none'
}

const platformNameOf = ({ platform }: Install) => (platform === null ? null : (platformOf(platform) ?? null))

/** A user in a list. */
export function presentFound(user: UserWithInstalls) {
  return {
    id: user.id,
    identifier: user.identifier,
    known: !user.anonymous,
    attributes: user.attributes,
    lastActive: isoOffset(user.lastActive),
    installs: user.installs.length,
    subscribed: user.installs.filter(({ subscribed }) => subscribed).length,
    platforms: [...new Set(user.installs.flatMap((install) => platformNameOf(install) ?? install.os ?? []))],
  }
}

function presentUnderstood(understood: Understood) {
  if (understood.kind !== 'attribute') return { kind: understood.kind }
  const { kind, name, op, value } = understood
  return { kind, name, op, value: String(value) }
}

/** A page of the list; `total` is null for a search, which does not know it. */
export function presentProfiles(
  users: readonly UserWithInstalls[],
  { next, understood }: FoundProfiles,
  total: number | null,
) {
  return {
    items: users.map(presentFound),
    next: next === null ? null : String(next),
    total,
    understood: presentUnderstood(understood),
  }
}

export function presentSuggestion(one: Suggestion) {
  if (one.kind === 'attribute') return { kind: one.kind, text: one.text, name: one.name, value: one.value }
  return one.kind === 'user'
    ? { kind: one.kind, id: one.id, identifier: one.identifier }
    : { kind: one.kind, id: one.id, installId: one.installId }
}

function presentInstall(install: Install, token: TokenState | undefined) {
  const { installId, os, osVersion, sdkType, sdkVersion, appVersion, buildKind, simulator, timeSensitive } = install
  const { countryIsoCode, timezone, locale, deviceModel, deviceName } = install
  return {
    installId,
    os,
    osVersion,
    sdkType,
    sdkVersion,
    appVersion,
    buildKind,
    simulator,
    timeSensitive,
    countryIsoCode,
    timezone,
    locale,
    deviceModel,
    deviceName,
    created: isoOffset(install.createdAt),
    lastActive: isoOffset(install.lastActive),
    push: {
      state: pushStateOf(install, token),
      platform: platformNameOf(install),
      environment: token?.environment ?? null,
      topic: token?.topic ?? null,
      registered: token?.hasToken ? isoOffsetOrNull(token.tokenAt) : null,
      refusals: token?.refusals ?? 0,
      retired: token?.retired ? { reason: token.retired.reason, at: isoOffset(token.retired.at) } : null,
    },
  }
}

/** A user with everything that is known at the moment. */
export function presentProfile({ user, tokens, channels, purposes, suppression }: Profile) {
  return {
    id: user.id,
    identifier: user.identifier,
    known: !user.anonymous,
    attributes: user.attributes,
    inAppEnabled: user.inAppEnabled,
    firstActive: isoOffset(user.firstActive),
    lastActive: isoOffset(user.lastActive),
    created: isoOffset(user.createdAt),
    installs: user.installs
      .toSorted((a, b) => b.lastActive - a.lastActive)
      .map((install) => presentInstall(install, tokens.get(install.row))),
    channels: channels.map(({ uuid, name, subscribed, installIds, optedOutInstallIds }) => ({
      uuid,
      name,
      subscribed,
      installs: installIds.length,
      optedOut: optedOutInstallIds.length,
    })),
    purposes: purposes.map(presentChosen),
    suppression: suppression && { reason: suppression.reason, at: isoOffset(suppression.at) },
  }
}

function presentMoment({ at, ...moment }: Moment) {
  return { ...moment, at: isoOffset(at) }
}

export function presentTimeline({ moments, next }: Timeline) {
  return { items: moments.map(presentMoment), next }
}

export function presentVerdict({ wasReached, says, remedy, installs }: Verdict) {
  return {
    wasReached,
    says,
    remedy,
    installs: installs.map(({ install, answers, nextAt, ...one }) => ({
      installId: install.installId,
      os: install.os,
      deviceName: install.deviceName,
      deviceModel: install.deviceModel,
      ...one,
      answers: answers.map(({ kind, reason, at }) => ({ kind, reason, at: isoOffset(at) })),
      next: isoOffsetOrNull(nextAt),
    })),
  }
}

const found = answerOf<typeof presentFound>('FoundProfile', {
  id: integer,
  identifier: string,
  known: boolean,
  attributes: free,
  lastActive: time,
  installs: count,
  subscribed: count,
  platforms: list(string),
})

export const profilePage = answerOf<typeof presentProfiles>('ProfilePage', {
  items: list(found),
  next: nullable(string),
  total: nullable(count),
  understood: object(
    {
      kind: oneOf(['everybody', 'name', 'attribute']),
      name: optional(string),
      op: optional(string),
      value: optional(string),
    },
    'UnderstoodSearch',
  ),
})

export const suggestions = object(
  {
    items: list(
      object(
        {
          kind: oneOf(['user', 'install', 'attribute']),
          id: optional(integer),
          identifier: optional(string),
          installId: optional(string),
          text: optional(string),
          name: optional(string),
          value: optional(nullable(string)),
        },
        'ProfileSuggestion',
      ),
    ),
  },
  'ProfileSuggestions',
)

const profileInstall = answerOf<typeof presentInstall>('ProfileInstall', {
  installId: string,
  os: nullable(string),
  osVersion: nullable(string),
  sdkType: nullable(string),
  sdkVersion: nullable(string),
  appVersion: nullable(string),
  buildKind: nullable(oneOf(BUILD_KINDS)),
  simulator: nullable(boolean),
  timeSensitive: nullable(boolean),
  countryIsoCode: nullable(string),
  timezone: nullable(string),
  locale: nullable(string),
  deviceModel: nullable(string),
  deviceName: nullable(string),
  created: time,
  lastActive: time,
  push: object(
    {
      state: oneOf(PUSH_STATES),
      platform: nullable(string),
      environment: nullable(string),
      topic: nullable(string),
      registered: nullable(time),
      refusals: count,
      retired: nullable(object({ reason: string, at: time }, 'RetiredToken')),
    },
    'PushState',
  ),
})

export const profile = answerOf<typeof presentProfile>('Profile', {
  id: integer,
  identifier: string,
  known: boolean,
  attributes: free,
  inAppEnabled: boolean,
  firstActive: time,
  lastActive: time,
  created: time,
  installs: list(profileInstall),
  channels: list(
    object(
      { uuid: string, name: nullable(string), subscribed: boolean, installs: count, optedOut: count },
      'ProfileChannel',
    ),
  ),
  purposes: list(
    answerOf<typeof presentChosen>('ProfilePurpose', {
      uid: string,
      name: string,
      description: nullable(string),
      required: boolean,
      allowed: boolean,
      choice: nullable(object({ allowed: boolean, at: time, source: string }, 'ProfileChoice')),
    }),
  ),
  suppression: nullable(object({ reason: nullable(string), at: time }, 'ProfileSuppression')),
})

const moment = answerOf<typeof presentMoment>('Moment', {
  kind: oneOf(MOMENT_KINDS),
  at: time,
  installId: nullable(string),
  type: nullable(string),
  about: nullable(object({ id: integer, name: nullable(string) }, 'MomentSubject')),
  state: nullable(string),
  data: nullable(free),
})
export const timeline = answerOf<typeof presentTimeline>('Timeline', { items: list(moment), next: nullable(string) })

export const verdict = answerOf<typeof presentVerdict>('Verdict', {
  wasReached: boolean,
  says: string,
  remedy: nullable(string),
  installs: list(
    object(
      {
        installId: string,
        os: nullable(string),
        deviceName: nullable(string),
        deviceModel: nullable(string),
        state: string,
        wasReached: boolean,
        says: string,
        remedy: nullable(string),
        answers: list(object({ kind: string, reason: string, at: time }, 'GatewayAnswer')),
        next: nullable(time),
      },
      'InstallVerdict',
    ),
  ),
})
