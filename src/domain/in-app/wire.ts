import { isHeldIn } from '../../platform/instance/repository.ts'
import { type Base, once } from '../../platform/wiring.ts'
import type { AppsWire } from '../apps/wire.ts'
import type { AimedAt } from '../audience/stored.ts'
import type { AudienceWire } from '../audience/wire.ts'
import type { ChannelsWire } from '../channels/wire.ts'
import type { ConsentWire } from '../consent/wire.ts'
import type { CrmWire } from '../crm/wire.ts'
import type { GeofencesWire } from '../geofences/wire.ts'
import type { JudgeLookUp } from '../personalization/people/judge-look-ups.ts'
import type { PersonalizationWire } from '../personalization/wire.ts'
import { mostLateness } from '../schedules/schedule.ts'
import type { SegmentsWire } from '../segments/wire.ts'
import type { TablesWire } from '../tables/wire.ts'
import type { TemplatesWire } from '../templates/wire.ts'
import { createPlanning } from './accept/accept.ts'
import { createReach } from './accept/reach.ts'
import { createReplan } from './accept/replan.ts'
import { syncService } from './deliver/sync.ts'
import { inAppEdits } from './edit/edits.service.ts'
import { createFanOut } from './fan-out/fan-out.ts'
import type { LinkedPushes } from './fan-out/linked-push.ts'
import { type RecipientsRepository, recipientsRepository } from './fan-out/recipients.repository.ts'
import { walksRepository } from './fan-out/walks.repository.ts'
import { createFirstWords } from './personal/first-words.ts'
import { createCompiledMessages, type InAppReads } from './personal/give-users.ts'
import { languageCountsRepository } from './record/language-counts.repository.ts'
import { createReactionHandler } from './record/reactions.ts'
import { retentionService } from './record/retention.ts'
import { type UserMessagesRepository, userMessagesRepository } from './record/user-messages.repository.ts'
import { type InAppRepository, inAppRepository } from './repository.ts'
import { inAppService } from './service.ts'

export type InAppWire = ReturnType<typeof wireInApp>

interface Needs {
  apps: () => AppsWire
  crm: () => CrmWire
  consent: () => ConsentWire
  templates: () => TemplatesWire
  channels: () => ChannelsWire
  segments: () => SegmentsWire
  geofences: () => GeofencesWire
  audience: () => AudienceWire
  tables: () => TablesWire
  people: () => PersonalizationWire
  pushes: () => LinkedPushes
}

/** In-app messages, from the request to the reactions of users. */
export function wireInApp(base: Base, needs: Needs) {
  const { sql, config, clock } = base
  const { crm, consent, templates, audience, pushes } = needs
  const inAppMessages = once(() => inAppRepository(sql))
  const inAppRecipients = once(() => recipientsRepository(sql))
  const inAppWalks = once(() => walksRepository(sql))
  const userMessages = once(() => userMessagesRepository(sql))
  const personal = once(() => personalParts(base, needs))
  const inAppReach = once(() => createReach({ recipients: inAppRecipients(), users: audience().audience().users }))
  const { inApp, edits } = wireRequests(base, needs, {
    inAppMessages,
    inAppRecipients,
    inAppReach,
    userMessages,
    personal,
  })
  const inAppFanOut = once(() =>
    createFanOut({
      walks: inAppWalks(),
      recipients: inAppRecipients(),
      users: audience().audience().users,
      refusals: consent().refusals(),
      ...personal(),
      pushes: pushes(),
      clock,
      defaultTtl: config['delivery.ttl'],
      defaultZone: config.timezone,
      maxLatenessMs: mostLateness(config['schedule.maxLateness']),
    }),
  )
  const replan = once(() => createReplan({ walks: inAppWalks(), pushes: pushes(), defaultZone: config.timezone }))
  const inAppSync = once(() =>
    syncService({
      repo: userMessages(),
      users: crm().users(),
      installs: crm().installs(),
      compiled: personal().compiled,
      clock,
    }),
  )
  const inAppRetention = once(() => retentionService({ repo: userMessages(), clock }))
  const eventHandler = once(() =>
    createReactionHandler({ repo: userMessages(), languages: personal().languages, clock }),
  )
  return {
    inAppMessages,
    inAppRecipients,
    inAppWalks,
    userMessages,
    inAppReach,
    inApp,
    edits,
    firstWords: () => createFirstWords(templates().templates()),
    inAppFanOut,
    replan,
    inAppSync,
    inAppRetention,
    eventHandler,
    /** Withdraws every message whose fan-out is not finished, of an app that is being deleted. */
    withdrawAll: (appId: number, reason: string) => inAppMessages().withdrawOpen(appId, reason, clock.now()),
    /** The name of an unfinished message that goes to this segment, if there is one. */
    async awaiting(appId: number, segmentId: number): Promise<string | undefined> {
      const id = await inAppMessages().awaiting(appId, segmentId)
      return id === undefined ? undefined : `in-app message ${id}`
    },
    /** Unfinished messages that go to this segment or channel: at most `limit` ids. */
    aimedAt: (appId: number, at: AimedAt, limit: number) => inAppMessages().aimedAt(appId, at, limit),
    /** The name of an unfinished message under this purpose, if there is one. */
    async awaitingUnder(appId: number, uid: string): Promise<string | undefined> {
      const id = await inAppMessages().awaitingUnder(appId, uid)
      return id === undefined ? undefined : `in-app message ${id}`
    },
  }
}

/** The parts for messages that differ between users. */
function personalParts({ sql }: Base, { people }: Needs) {
  const reads: InAppReads = { ...people().reads(), people: people().people() }
  return { languages: languageCountsRepository(sql), compiled: createCompiledMessages(), reads }
}

interface Stored {
  inAppMessages: () => InAppRepository
  inAppRecipients: () => RecipientsRepository
  inAppReach: () => ReturnType<typeof createReach>
  userMessages: () => UserMessagesRepository
  personal: () => ReturnType<typeof personalParts>
}

/** New requests, and edits of those that wait. */
function wireRequests(base: Base, needs: Needs, stored: Stored) {
  const { sql, config, clock } = base
  const { apps, crm, consent, templates, channels, segments, geofences, audience, tables, pushes } = needs
  const asked = once(() => ({
    recipients: stored.inAppRecipients(),
    users: audience().audience().users,
    judgeLookUp: ((appId, lookUp) => tables().records().judgeLookUp(appId, lookUp)) satisfies JudgeLookUp,
    pushes: pushes(),
    guard: { confirmAbove: apps().apps().confirmAbove, countUpTo: stored.inAppReach().countUpTo },
    templates: templates().templates(),
    catalogue: {
      segments: segments().segments(),
      channels: channels().channels(),
      geofences: geofences().geofences(),
    },
    purposes: consent().purposes(),
    usualHour: crm().crm().usualHour,
    clock,
    defaultTtl: config['delivery.ttl'],
    defaultZone: config.timezone,
  }))
  const inApp = once(() =>
    inAppService({
      ...asked(),
      repo: stored.inAppMessages(),
      refusals: consent().refusals(),
      reactions: stored.userMessages(),
      ...stored.personal(),
      book: crm().crm(),
    }),
  )
  const edits = once(() =>
    inAppEdits({
      ...asked(),
      planning: createPlanning(asked()),
      repo: stored.inAppMessages(),
      messages: inApp(),
      isHeld: isHeldIn(sql),
    }),
  )
  return { inApp, edits }
}
