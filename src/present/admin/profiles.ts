import { CHOICE_SOURCES } from '../../domain/consent/types.ts'
import { shownPlatformOf, TRANSPORTS, transportOf } from '../../domain/crm/store/transport.ts'
import { BUILD_KINDS, type Install, type UserWithInstalls } from '../../domain/crm/types.ts'
import {
  EXPORT_FACTS,
  EXPORT_ID,
  EXPORT_OTHERS,
  exportedCell,
  isColumnName,
} from '../../domain/imports/users/export-cells.ts'
import {
  type FoundProfiles,
  type InstallVerdict,
  MOMENT_KINDS,
  type Moment,
  type Profile,
  type Suggestion,
  type Timeline,
  type TokenState,
  type Understood,
  type Verdict,
} from '../../domain/profiles/types.ts'
import { isoOffset } from '../../platform/time/clock.ts'
import {
  ALLOWED,
  AT,
  CHOICE,
  CHOICE_ALLOWED,
  DESCRIPTION,
  LISTED_AT,
  NAME,
  presentChosen,
  REASON,
  REQUIRED,
  SOURCE,
  UID,
} from '../api/consent.ts'
import {
  ATTRIBUTES,
  CHANNEL_NAME,
  COUNTRY_ISO_CODE,
  FIRST_ACTIVE,
  IDENTIFIER,
  IN_APP_ENABLED,
  KNOWN,
  LAST_ACTIVE,
  OS,
  SDK_TYPE,
  SDK_VERSION,
  WHOLE_USER,
} from '../api/crm.ts'
import {
  answer,
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
  told,
  type Words,
  within,
} from '../schema.ts'
import {
  ANSWERED_AT,
  APP_VERSION,
  BUILD_KIND,
  CHANNEL_UUID,
  DEVICE_MODEL,
  DEVICE_NAME,
  ID,
  LOCALE,
  OF_INSTALL,
  OS_VERSION,
  TIMESTAMP,
  TIMEZONE,
  TOKEN_PLATFORM,
  TRANSPORT,
} from '../words.ts'

const UNDERSTOOD_SEARCH_NAME: Words = ['The attribute.', 'plan']
const WAS_REACHED: Words = ['Whether it arrived, as far as anybody can know.', false]
const SAYS: Words = ['Why, in a sentence.', 'This person does not allow the purpose of the notification.']
const VERDICT_REMEDY: Words = ['What can be done; null when there is nothing to do.', 'Respect it.']

/** Answers to the question whether a push reaches an install. */
const PUSH_STATES = ['ready', 'off', 'retired', 'none'] as const

function pushStateOf({ subscribed, notificationsEnabled }: Install, token: TokenState | undefined) {
  if (subscribed) return 'ready'
  if (!notificationsEnabled) return 'off'
  return token?.retired ? 'retired' : 'none'
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
    next,
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

function presentMoment({ at, ...moment }: Moment) {
  return { ...moment, at: isoOffset(at) }
}

/** A user in a list. */
const found = answer<UserWithInstalls>()('FoundProfile', 'A user in a list.', {
  id: told(integer, ID),
  identifier: told(string, IDENTIFIER),
  known: told(boolean, KNOWN, ({ anonymous }) => !anonymous),
  attributes: told(free, ATTRIBUTES),
  lastActive: told(time, LAST_ACTIVE),
  installs: told(count, 'How many installs they have.', 2, ({ installs }) => installs.length),
  subscribed: told(
    count,
    'How many of their installs get pushes.',
    1,
    ({ installs }) => installs.filter(({ subscribed }) => subscribed).length,
  ),
  platforms: told(list(string), 'Platforms of their installs.', ['ios'], ({ installs }) => [
    ...new Set(installs.flatMap((install) => shownPlatformOf(install) ?? install.os ?? [])),
  ]),
})
const presentFound = found.present

/** The header of an export of users, and the record of each. Texts of people are guarded by the writer. */
export function exportedUsers(names: readonly string[]) {
  const own = names.filter(isColumnName)
  return {
    head: [EXPORT_ID, ...EXPORT_FACTS, ...own, EXPORT_OTHERS],
    record(user: UserWithInstalls): (string | number | null)[] {
      const { identifier, anonymous, createdAt, firstActive, lastActive, installs, attributes } = user
      const others = Object.entries(attributes).filter(([name]) => !own.includes(name))
      return [
        identifier,
        String(!anonymous),
        ...[createdAt, firstActive, lastActive].map(isoOffset),
        installs.length,
        installs.filter(({ subscribed }) => subscribed).length,
        ...own.map((name) => (Object.hasOwn(attributes, name) ? exportedCell(attributes[name]) : null)),
        others.length === 0 ? null : JSON.stringify(Object.fromEntries(others)),
      ]
    },
  }
}

export const profilePage = answerOf<typeof presentProfiles>('ProfilePage', 'Users that were found.', {
  items: told(list(found), 'Users of this page.'),
  next: told(nullable(string), 'Give it as `after` for the next page. Null on the last one.', null),
  total: told(nullable(count), 'How many users there are; null for a search.', 1240),
  understood: told(
    object('UnderstoodSearch', 'How a search was understood.', {
      kind: told(
        oneOf(['everybody', 'name', 'attribute']),
        '`everybody`, a part of a name or of a value, or a condition on an attribute.',
        'attribute',
      ),
      name: optional(told(string, UNDERSTOOD_SEARCH_NAME)),
      op: optional(told(string, 'The operator, as in segments.', 'equals')),
      value: optional(told(string, 'What it is compared with.', 'gold')),
    }),
    'How the search was understood.',
  ),
})

export const profileCount = object('ProfileCount', 'How many users a search has found.', {
  count: told(count, 'Users of this part. Add those of the next ones.', 412),
  next: told(nullable(string), 'Give it as `after` for the next part. Null at the end.', null),
})

export const suggestions = object('ProfileSuggestions', 'What a search may mean.', {
  items: told(
    list(
      object('ProfileSuggestion', 'What a search may mean.', {
        kind: told(oneOf(['user', 'install', 'attribute']), 'What it leads to.', 'attribute'),
        id: optional(told(integer, 'Number of the user or of the install.', 7)),
        identifier: optional(told(string, IDENTIFIER)),
        installId: optional(told(string, OF_INSTALL)),
        text: optional(told(string, 'What to search for.', 'plan = gold')),
        name: optional(told(string, UNDERSTOOD_SEARCH_NAME)),
        value: optional(told(nullable(string), 'The value; null while only the name is known.', 'gold')),
      }),
    ),
    'At most twenty.',
  ),
})

interface OfInstall {
  install: Install
  token: TokenState | undefined
}

const deviceMembers = {
  installId: told(string, OF_INSTALL),
  os: told(nullable(string), OS),
  osVersion: told(nullable(string), OS_VERSION),
  sdkType: told(nullable(string), SDK_TYPE),
  sdkVersion: told(nullable(string), SDK_VERSION),
  appVersion: told(nullable(string), APP_VERSION),
  buildKind: told(nullable(oneOf(BUILD_KINDS)), BUILD_KIND, 'release'),
  simulator: told(nullable(boolean), 'Whether the device is a simulator or an emulator.', false),
  timeSensitive: told(
    nullable(boolean),
    'Whether iOS lets time-sensitive notifications of the app interrupt a Focus.',
    true,
  ),
  countryIsoCode: told(nullable(string), COUNTRY_ISO_CODE),
  timezone: told(nullable(string), TIMEZONE),
  locale: told(nullable(string), LOCALE),
  deviceModel: told(nullable(string), DEVICE_MODEL),
  deviceName: told(nullable(string), DEVICE_NAME),
}
const { installId, os, deviceName, deviceModel } = deviceMembers

const push = answer<OfInstall>()('PushState', 'How an install stands with pushes.', {
  state: told(
    oneOf(PUSH_STATES),
    '`ready`: it gets pushes. `off`: notifications are turned off on the device. `retired`: a gateway ' +
      'refused its token for good. `none`: it has no token.',
    'ready',
    ({ install, token }: OfInstall) => pushStateOf(install, token),
  ),
  platform: told(nullable(string), TOKEN_PLATFORM, ({ install }: OfInstall) => shownPlatformOf(install)),
  transport: told(nullable(oneOf(TRANSPORTS)), TRANSPORT, ({ install }: OfInstall) => transportOf(install)),
  environment: told(
    nullable(string),
    'What the gateway has to know of the token: the environment of Apple, or `vapid:` and the id of the key with which the browser subscribed.',
    'production',
    ({ token }: OfInstall) => token?.environment ?? null,
  ),
  topic: told(
    nullable(string),
    'Bundle id or website push id of the token.',
    'com.example.app',
    ({ token }: OfInstall) => token?.topic ?? null,
  ),
  registered: told(
    nullable(time),
    'When the device registered the token; null without one.',
    '2026-11-23T10:00:00+0000',
    ({ token }: OfInstall) => (token?.hasToken ? token.tokenAt : null),
  ),
  refusals: told(
    count,
    'Suspicious refusals since the token was last accepted.',
    0,
    ({ token }: OfInstall) => token?.refusals ?? 0,
  ),
  retired: told(
    nullable(
      answer<NonNullable<TokenState['retired']>>()('RetiredToken', 'A push token that a gateway refused for good.', {
        reason: told(string, "The gateway's word.", 'Unregistered'),
        at: told(time, 'When the gateway refused it.', '2026-03-01T12:00:00+0000'),
      }),
    ),
    'The last token that a gateway refused for good.',
    null,
    ({ token }: OfInstall) => token?.retired ?? null,
  ),
})

const profileInstall = answer<OfInstall>()('ProfileInstall', 'An install of a user.', {
  ...within(({ install }: OfInstall) => install, {
    ...deviceMembers,
    created: told(
      time,
      'When the install first reported.',
      '2026-03-01T09:00:00+0000',
      ({ createdAt }: Install) => createdAt,
    ),
    lastActive: told(time, LAST_ACTIVE),
  }),
  push: told(push, 'How it stands with pushes.', { state: 'ready' }, (one: OfInstall) => one),
})

/** A user with everything that is known at the moment. */
export const profile = answer<Profile>()('Profile', 'A user with everything that is known of them.', {
  ...within(({ user }: Profile) => user, {
    id: told(integer, ID),
    identifier: told(string, IDENTIFIER),
    known: told(boolean, KNOWN, ({ anonymous }: UserWithInstalls) => !anonymous),
    attributes: told(free, ATTRIBUTES),
    inAppEnabled: told(boolean, IN_APP_ENABLED),
    firstActive: told(time, FIRST_ACTIVE),
    lastActive: told(time, LAST_ACTIVE),
    created: told(
      time,
      'When the user was created.',
      '2026-03-01T09:00:00+0000',
      ({ createdAt }: UserWithInstalls) => createdAt,
    ),
  }),
  installs: told(
    list(profileInstall),
    'Their installs, the most recently active first.',
    [],
    ({ user, tokens }: Profile) =>
      user.installs
        .toSorted((a, b) => b.lastActive - a.lastActive)
        .map((install) => ({ install, token: tokens.get(install.row) })),
  ),
  channels: told(
    list(
      answer<Profile['channels'][number]>()(
        'ProfileChannel',
        'A channel that reaches the user or one of their installs.',
        {
          uuid: told(string, CHANNEL_UUID),
          name: told(nullable(string), CHANNEL_NAME),
          subscribed: told(boolean, WHOLE_USER),
          installs: told(
            count,
            'How many of their installs are subscribed themselves.',
            1,
            ({ installIds }) => installIds.length,
          ),
          optedOut: told(
            count,
            'How many of their installs opted out.',
            0,
            ({ optedOutInstallIds }) => optedOutInstallIds.length,
          ),
        },
      ),
    ),
    'Channels that reach them or one of their installs: the first 1000.',
    [],
  ),
  purposes: told(
    list(
      answerOf<typeof presentChosen>('ProfilePurpose', 'A purpose and what the user chose.', {
        uid: told(string, UID),
        name: told(string, NAME),
        description: told(nullable(string), DESCRIPTION),
        required: told(boolean, REQUIRED),
        allowed: told(boolean, ALLOWED),
        choice: told(
          nullable(
            object('ProfileChoice', 'The choice of a user for a purpose.', {
              allowed: told(boolean, CHOICE_ALLOWED),
              at: told(time, AT),
              source: told(oneOf(CHOICE_SOURCES), SOURCE),
            }),
          ),
          CHOICE,
        ),
      }),
    ),
    'Purposes of the app, and what they chose.',
    [],
    ({ purposes }: Profile) => purposes.map(presentChosen),
  ),
  suppression: told(
    nullable(
      answer<NonNullable<Profile['suppression']>>()('ProfileSuppression', 'The entry of the suppression list.', {
        reason: told(nullable(string), REASON),
        at: told(time, LISTED_AT),
      }),
    ),
    'Since when and why they are on the suppression list; null when they are not.',
    null,
  ),
})
export const presentProfile = profile.present

const moment = answerOf<typeof presentMoment>('Moment', 'Something that happened to a user, or that they did.', {
  kind: told(oneOf(MOMENT_KINDS), 'What kind of thing it is.', 'send'),
  at: told(time, TIMESTAMP, '2026-03-01T12:00:00+0000'),
  installId: told(
    nullable(string),
    'The install; null when it is about the user.',
    '7f0c3b1e-96b6-4f0e-a2b5-3a1c6a1b7d10',
  ),
  type: told(nullable(string), 'The type of an event.', 'k.push.opened'),
  about: told(
    nullable(
      object('MomentSubject', 'The notification, in-app message or link that it is about.', {
        id: told(integer, 'Number of the notification or the in-app message.', 12),
        name: told(nullable(string), 'Its title or name.', 'Fresh bread'),
      }),
    ),
    'What it is about.',
    { id: 12, name: 'Fresh bread' },
  ),
  state: told(nullable(string), 'What became of a send or a message.', 'accepted'),
  data: told(nullable(free), 'What the event said, when it is short.', { id: 12 }),
})
export const timeline = answer<Timeline>()('Timeline', 'What happened to a user, the latest first.', {
  items: told(list(moment), 'The latest first.', ({ moments }) => moments.map(presentMoment)),
  next: told(nullable(string), 'Give it as `after` for older entries. Null on the last page.', null),
})
export const presentTimeline = timeline.present

export const verdict = answer<Verdict>()('Verdict', 'Why a user got a notification, or did not.', {
  wasReached: told(boolean, WAS_REACHED),
  says: told(string, SAYS),
  remedy: told(nullable(string), VERDICT_REMEDY),
  installs: told(
    list(
      answer<InstallVerdict>()('InstallVerdict', 'Why one install got it, or did not.', {
        ...within(({ install }: InstallVerdict) => install, { installId, os, deviceName, deviceModel }),
        state: told(string, 'The same as a word.', 'not_wanted'),
        wasReached: told(boolean, WAS_REACHED),
        says: told(string, SAYS),
        remedy: told(nullable(string), VERDICT_REMEDY),
        answers: told(
          list(
            answer<InstallVerdict['answers'][number]>()('GatewayAnswer', 'What a gateway answered.', {
              kind: told(string, 'What kind of answer it was.', 'token_dead'),
              reason: told(string, "The gateway's own word.", 'Unregistered'),
              at: told(time, ANSWERED_AT),
            }),
          ),
          'What gateways answered, oldest first.',
          [],
        ),
        next: told(
          nullable(time),
          'When it is sent to again; null when it is not.',
          null,
          ({ nextAt }: InstallVerdict) => nextAt,
        ),
      }),
    ),
    'The most recently active first, at most twenty.',
    [],
  ),
})
export const presentVerdict = verdict.present
