import { sizeLimit } from '../../platform/config/settings.ts'
import { isHeldIn } from '../../platform/instance/repository.ts'
import { databaseQueue } from '../../platform/queue/database.ts'
import { type Base, once } from '../../platform/wiring.ts'
import type { AppsWire } from '../apps/wire.ts'
import type { Target } from '../audience/types.ts'
import type { AudienceWire } from '../audience/wire.ts'
import type { ChannelsWire } from '../channels/wire.ts'
import type { ConsentWire } from '../consent/wire.ts'
import type { CrmWire } from '../crm/wire.ts'
import type { EventsWire } from '../events/wire.ts'
import { gateways as gatewayKinds } from '../gateways/registry.ts'
import type { GatewaysWire } from '../gateways/wire.ts'
import type { GeofencesWire } from '../geofences/wire.ts'
import type { InAppWire } from '../in-app/wire.ts'
import type { PersonalizationWire } from '../personalization/wire.ts'
import type { SegmentsWire } from '../segments/wire.ts'
import type { StatisticsWire } from '../statistics/wire.ts'
import type { TablesWire } from '../tables/wire.ts'
import { draftsService } from './accept/drafts.service.ts'
import { createReplan } from './accept/replan.ts'
import { type FindPushTemplate, sendsService } from './accept/sends.service.ts'
import { ownersRepository } from './deliver/owners.repository.ts'
import { restraintRepository } from './deliver/restraint.repository.ts'
import { type EditsParts, editsService } from './edit/edits.service.ts'
import { createFanOut } from './fan-out/fan-out.ts'
import { createLinkedPushes } from './fan-out/linked-push.ts'
import { createPersonalReads } from './personal/reads.ts'
import { clearingsOf } from './record/clearings.ts'
import { languageCountsRepository } from './record/language-counts.repository.ts'
import { createLanguageOpens } from './record/language-opens.ts'
import { ledgerRepository, PAGE_QUEUE } from './record/ledger.repository.ts'
import { opensRepository } from './record/opens.repository.ts'
import { createOpensHandler } from './record/opens.ts'
import { retentionRepository } from './record/retention.repository.ts'
import { notificationRetention } from './record/retention.ts'
import { runsRepository } from './record/runs.repository.ts'
import { conservationRepository } from './report/conservation.repository.ts'
import { conservationService } from './report/conservation.ts'
import { createDeliveries } from './report/deliveries.ts'
import { createLabelSums } from './report/label-sums.ts'
import { openNotifications } from './report/open.ts'
import { openersRepository } from './report/openers.ts'
import { progressRepository } from './report/progress.repository.ts'
import { recipientsRepository } from './report/recipients.repository.ts'
import { resultsOfPage } from './report/recipients.ts'
import { notificationsService } from './report/service.ts'
import { createTraces } from './report/trace.ts'
import { createUnderWay } from './report/under-way.ts'
import { vitalsRepository } from './report/vitals.repository.ts'
import { notificationsRepository } from './repository.ts'

export type NotificationsWire = ReturnType<typeof wireNotifications>

interface Needs {
  apps: () => AppsWire
  crm: () => CrmWire
  events: () => EventsWire
  consent: () => ConsentWire
  gateways: () => GatewaysWire
  statistics: () => StatisticsWire
  channels: () => ChannelsWire
  segments: () => SegmentsWire
  geofences: () => GeofencesWire
  audience: () => AudienceWire
  inApp: () => InAppWire
  tables: () => TablesWire
  people: () => PersonalizationWire
  pushTemplate: FindPushTemplate
}

/** Pushes, from the request to the report. */
export function wireNotifications(base: Base, needs: Needs) {
  const { sql, clock } = base
  const stored = wireStored(base, needs)
  const accepting = wireAccepting(base, needs, stored)
  const { sent, runs, recipients, restraint, ledger, retention: kept } = stored
  return {
    ...stored.parts,
    ...accepting,
    ...wireSending(base, needs, stored, accepting),
    ...wireReporting(base, needs, stored, accepting),
    kept,
    retention: once(() => notificationRetention({ repo: kept(), ledger: ledger(), clock })),
    conservation: once(() => conservationService(conservationRepository(sql))),
    clearings: () => clearingsOf(needs.inApp().inAppMessages(), sent(), restraint()),
    /** Outcomes of the recipients of a closed page, for the event log. */
    resultsOfPage: (appId: number, entry: { notificationId: number; pageId: number }) =>
      resultsOfPage(recipients(), appId, entry),
    /** Cancels every open notification of an app that is being deleted. */
    cancelAll: (appId: number, reason: string) => runs().cancelOpen(appId, reason, clock.now()),
    ...openNotifications(sent),
  }
}

type Stored = ReturnType<typeof wireStored>
type Accepting = ReturnType<typeof wireAccepting>

/** Tables of pushes, and the service that reads one push out of them. */
function wireStored({ sql, config, clock, wake }: Base, { consent }: Needs) {
  const sent = once(() => notificationsRepository(sql))
  const ledger = once(() => ledgerRepository(sql))
  const runs = once(() => runsRepository(sql))
  const opens = once(() => opensRepository(sql))
  const recipients = once(() => recipientsRepository(sql))
  const retention = once(() => retentionRepository(sql))
  const languages = once(() => languageCountsRepository(sql))
  const restraint = once(() => restraintRepository(sql, config.timezone, consent().refusals()))
  const both = () => ({ ledger: ledger(), runs: runs() })
  const notifications = once(() =>
    notificationsService({
      repo: sent(),
      opens: opens(),
      ...both(),
      recipients: recipients(),
      retention: retention(),
      languages: languages(),
      defaultTtl: config['delivery.ttl'],
    }),
  )
  return {
    sent,
    ledger,
    runs,
    both,
    opens,
    recipients,
    retention,
    languages,
    restraint,
    notifications,
    /** Parts that doors, workers and other areas use. */
    parts: {
      sent,
      ledger,
      runs,
      restraint,
      notifications,
      owners: once(() => ownersRepository(sql)),
      vitals: once(() => vitalsRepository(sql)),
      queue: once(() => databaseQueue(sql, { ...PAGE_QUEUE, ended: () => ({ updated_at: clock.now() }) }, wake)),
    },
  }
}

/** Requests until they are accepted: drafts, sends and their edits. */
function wireAccepting(base: Base, needs: Needs, { sent, both, runs, opens, notifications }: Stored) {
  const { sql, config } = base
  const { apps, consent, gateways, tables, people } = needs
  const personal = once(() =>
    createPersonalReads({ people: people().people(), opens: opens(), reads: people().reads() }),
  )
  const target = once(() => targetParts(base, needs))
  const sends = once(() =>
    sendsService({
      ...target(),
      repo: sent(),
      ...both(),
      gateways: gateways().gateways(),
      pageSize: config['delivery.pageSize'],
      wake: (whom) => base.afterCommit(() => base.wake(whom)),
      isHeld: isHeldIn(sql),
      purposes: consent().purposes(),
      pushTemplate: needs.pushTemplate,
      maxMeta: sizeLimit(config, 'limits.reportingMeta'),
      judgeLookUp: (appId, lookUp) => tables().records().judgeLookUp(appId, lookUp),
    }),
  )
  const edits = once(() => editsOf(base, { repo: sent(), ...both(), notifications: notifications(), sends: sends() }))
  const drafts = once(() =>
    draftsService({
      ...target(),
      sends: sends(),
      reads: personal(),
      sendable: (appId) => gateways().gateways().sendable(appId),
      restraint: (appId) => apps().apps().restraint(appId),
      refusals: consent().refusals(),
      consentRules: (appId, asked) => consent().refusals().rulesOf(appId, asked),
    }),
  )
  const replan = once(() => createReplan({ repo: sent(), runs: runs(), defaultZone: config.timezone }))
  return { personal, sends, edits, drafts, replan }
}

/** Finding the recipients of pushes, and of those that announce in-app messages. */
function wireSending({ config, clock }: Base, needs: Needs, { sent, both }: Stored, { sends }: Accepting) {
  const { audience, events, gateways, tables, people } = needs
  const fanOut = once(() =>
    createFanOut({
      ...both(),
      audience: audience().audience(),
      gateways: gateways().gateways(),
      record: (appId, list) => events().events().recordAll(appId, list),
      config,
      clock,
    }),
  )
  const linkedPushes = once(() =>
    createLinkedPushes({
      repo: sent(),
      ...both(),
      gateways: gateways().gateways(),
      fanOut: fanOut(),
      previewers: Object.values(gatewayKinds),
      judgeLookUp: (appId, lookUp) => tables().records().judgeLookUp(appId, lookUp),
      contentFor: sends().contentFor,
      reads: people().reads(),
      people: people().people(),
      clock,
      pageSize: config['delivery.pageSize'],
      defaultTtl: config['delivery.ttl'],
    }),
  )
  return { fanOut, linkedPushes }
}

/** Counts and traces of what was sent, and the openings that devices report. */
function wireReporting({ sql }: Base, needs: Needs, stored: Stored, { personal }: Accepting) {
  const { audience, crm, statistics } = needs
  const { sent, ledger, both, opens, languages, retention, notifications } = stored
  const underWay = once(() =>
    createUnderWay({ repo: sent(), ...both(), retention: retention(), statistics: statistics().statistics() }),
  )
  const traces = once(() =>
    createTraces({
      get: (appId, id) => notifications().get(appId, id),
      ledger: ledger(),
      audience: audience().audience(),
      book: crm().crm(),
    }),
  )
  const deliveries = once(() =>
    createDeliveries({
      notifications: notifications(),
      progress: progressRepository(sql),
      openers: openersRepository(sql),
      repo: sent(),
      ledger: ledger(),
      retention: retention(),
      statistics: statistics().statistics(),
      previewers: Object.values(gatewayKinds),
    }),
  )
  const labelSums = once(() =>
    createLabelSums({ repo: sent(), ledger: ledger(), statistics: statistics().statistics() }),
  )
  const eventHandler = once(() =>
    createOpensHandler(
      opens(),
      (appId, reports) => statistics().statistics().addReports(appId, reports),
      createLanguageOpens(languages(), personal()),
    ),
  )
  return { underWay, traces, deliveries, labelSums, eventHandler }
}

function editsOf({ sql, clock }: Pick<Base, 'sql' | 'clock'>, parts: Omit<EditsParts, 'isHeld' | 'clock'>) {
  return editsService({ ...parts, isHeld: isHeldIn(sql), clock })
}

/** The parts that both sends and drafts need: the audience of a push, and the limits of its gateways. */
function targetParts(
  { config, clock }: Pick<Base, 'config' | 'clock'>,
  { apps, crm, segments, channels, geofences, audience }: Needs,
) {
  return {
    audience: audience().audience(),
    guard: {
      confirmAbove: apps().apps().confirmAbove,
      countUpTo: (appId: number, target: Target, max: number) => audience().audience().countUpTo(appId, target, max),
    },
    usualHour: crm().crm().usualHour,
    book: crm().crm(),
    catalogue: {
      segments: segments().segments(),
      channels: channels().channels(),
      geofences: geofences().geofences(),
    },
    previewers: Object.values(gatewayKinds),
    clock,
    defaultTtl: config['delivery.ttl'],
    defaultZone: config.timezone,
  }
}
