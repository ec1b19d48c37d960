import { createToDo } from '../../doctor/todo.ts'
import { stopNotification } from '../../domain/notifications/cancel.ts'
import { wordsOf } from '../../domain/notifications/report/reason-words.ts'
import {
  listNotifications,
  listOpeners,
  listRecipients,
  readNotificationFilter,
} from '../../domain/notifications/schema.ts'
import { MOST_DAYS } from '../../domain/statistics/service.ts'
import { invalid } from '../../platform/errors.ts'
import { idSegment, integer, shape, text } from '../../platform/values/parse.ts'
import {
  deliveryPage,
  deliveryProgress,
  deliveryReport,
  deliveryTrace,
  openerGroups,
  openerPage,
  overview,
  presentDelivery,
  presentDeliveryReport,
  presentDeliveryTrace,
  presentOpener,
  presentOpenerGroups,
  presentOverview,
  presentProgress,
} from '../../present/admin/deliveries.ts'
import type { Areas } from '../../program.ts'
import { onePerProgram } from '../limits/per-program.ts'
import { CSV, EVENT_STREAM, eventsOf, get, post, Reply, type Route, recordsOf } from '../routing/route.ts'
import { watchDelivery } from './delivery-watch.ts'
import { readFirst } from './read-first.ts'

const PERSON = { area: 'admin', needs: 'person' } as const
const UNKNOWN = { 404: 'There is no such notification' }

/** Checks that everybody who works with the app should know of. */
const OF_APPS = new Set(['lanes', 'credentials'])
/** Checks that name what a send says and to whom: viewers must not read them. */
const OF_SENDS = new Set(['series'])

const todoOf = onePerProgram((program) => ({ ask: createToDo(program) }))
const idOf = (params: Record<string, string>) => idSegment(params['id']!, 'notification')

/** The home of an app, and notifications while they are sent and afterwards. */
export const deliveryRoutes: readonly Route[] = [
  get('/v1/apps/:appId/overview', {
    ...PERSON,
    right: 'see',
    summary: 'Read what an app needs, what is wrong, whom it reaches, and its last days',
    description:
      'Reads sums that are kept as things happen, so it is quick however large the app is. What the checks found is at most five seconds old.',
    query: shape({ zone: text({ max: 64 }), days: integer({ min: 1, max: MOST_DAYS }) }),
    returns: overview,
    async run({ tx, program, appId, query, person }) {
      const [todo, days, underWay, people, installs, period] = await Promise.all([
        todoOf(program).ask(appId),
        tx.statistics.pushPeriod(appId, query),
        tx.underWay(appId),
        tx.crm.countUsers(appId),
        tx.statistics.installs(appId),
        tx.statistics.installPeriod(appId, query.days),
      ])
      const may = (right: (typeof person.rights)[number]) => person.rights.includes(right)
      // What is wrong with the server names files of it, and only operators can act on it.
      const alarms = todo.alarms.filter(
        ({ check }) => may('operate') || OF_APPS.has(check) || (OF_SENDS.has(check) && may('campaign')),
      )
      return presentOverview({ toDo: { ...todo, alarms }, days, underWay, audience: { people, installs, period } })
    },
  }),
  get('/v1/apps/:appId/deliveries', {
    ...PERSON,
    right: 'see',
    summary: 'List notifications with their counts, newest first',
    description: 'As the list of notifications, with what became of the recipients of each.',
    query: listNotifications,
    returns: deliveryPage,
    async run({ tx, appId, query }) {
      const { after, limit } = query
      const filter = readNotificationFilter(query)
      const { items, next } = await tx.deliveries.list(appId, { after, limit, filter })
      return { items: items.map(presentDelivery), next }
    },
  }),
  get('/v1/apps/:appId/deliveries/:id', {
    ...PERSON,
    right: 'see',
    summary: 'Read the report of a notification, with its reasons in words',
    description: 'Hours and platforms are kept for 90 days; the counts stay.',
    also: UNKNOWN,
    returns: deliveryReport,
    run: async ({ tx, appId, params }) => presentDeliveryReport(await tx.deliveries.report(appId, idOf(params))),
  }),
  get('/v1/apps/:appId/deliveries/:id/openers', {
    ...PERSON,
    right: 'see',
    summary: 'List who opened a notification, with their devices as these are now',
    description: 'Looks at 1000 reports of devices a page, so a page may hold few, or none: go on with `next`.',
    query: listOpeners,
    also: UNKNOWN,
    returns: openerPage,
    async run({ tx, appId, params, query }) {
      const { items, next } = await tx.deliveries.openers(appId, idOf(params), query)
      return { items: items.map(presentOpener), next }
    },
  }),
  get('/v1/apps/:appId/deliveries/:id/opener-groups', {
    ...PERSON,
    right: 'see',
    summary: 'Count who opened a notification by version of the app and language of the device',
    description: 'Of the first 5000 reports of devices, as the devices are now; `isWhole` says whether these are all.',
    also: UNKNOWN,
    returns: openerGroups,
    run: async ({ tx, appId, params }) => presentOpenerGroups(await tx.deliveries.openerGroups(appId, idOf(params))),
  }),
  get('/v1/apps/:appId/deliveries/:id/progress', {
    ...PERSON,
    right: 'see',
    summary: 'Read how far a notification has come',
    description: 'Once; `events` beside it tells it every second, with the speed.',
    also: UNKNOWN,
    returns: deliveryProgress,
    run: async ({ tx, program, appId, params }) =>
      presentProgress(
        await tx.deliveries.progress(appId, idOf(params)),
        { perSecond: null, secondsLeft: null },
        program.kernel.clock.now(),
      ),
  }),
  get('/v1/apps/:appId/deliveries/:id/events', {
    ...PERSON,
    right: 'see',
    summary: 'Follow how far a notification has come, once a second',
    description:
      'Server-sent events named `progress`; the data of each is a `DeliveryProgress`. It ends when the notification is over. However many follow a notification, the server reads it once a second.',
    also: UNKNOWN,
    produces: EVENT_STREAM,
    streams: deliveryProgress,
    async run({ tx, program, appId, params }) {
      const id = idOf(params)
      await tx.notifications.get(appId, id)
      return eventsOf((signal) => watchDelivery(program, appId, id, signal))
    },
  }),
  post('/v1/apps/:appId/deliveries/:id/stop', {
    ...PERSON,
    right: 'campaign',
    audit: 'notifications.stop',
    summary: 'Stop a notification, also while it is being sent',
    description:
      'Whoever has not been sent it by then does not get it; what a vendor has accepted cannot be called back. Answers when no request is under way any more.',
    status: 204,
    also: { 400: 'It is finished', ...UNKNOWN },
    // It waits for requests to gateways that are under way.
    transaction: false,
    wakes: true,
    async run({ program, inTransaction, appId, params, note }) {
      const id = idOf(params)
      const noteBefore = async (tx: Areas) => {
        if (program.kernel.db.kind === 'postgres') await tx.edits.lock(appId, id)
        const { status, counts } = await tx.deliveries.progress(appId, id)
        note({ target: String(id), before: { status, counts } })
      }
      await stopNotification(
        { read: program, inTransaction: readFirst(inTransaction, noteBefore), clock: program.kernel.clock },
        appId,
        id,
      )
    },
  }),
  get('/v1/apps/:appId/deliveries/:id/trace', {
    ...PERSON,
    right: 'see',
    summary: 'Read what happened to one recipient of a notification',
    description: 'Give `userId` for all installs that the user has now, at most 20, or `installId` for one.',
    query: shape({ userId: text({ max: 255 }), installId: text({ max: 255 }) }),
    also: { 404: 'There is no such notification, user or install' },
    returns: deliveryTrace,
    async run({ tx, appId, params, query: { userId, installId } }) {
      const id = idOf(params)
      if ((userId === undefined) === (installId === undefined)) {
        throw invalid({ userId: ['give either userId or installId'] })
      }
      const traces =
        userId === undefined
          ? [await tx.traces.recipient(appId, id, installId!)]
          : await tx.traces.user(appId, id, userId)
      return presentDeliveryTrace(traces)
    },
  }),
  get('/v1/apps/:appId/deliveries/:id/recipients.csv', {
    ...PERSON,
    right: 'campaign',
    audit: 'notifications.recipients.export',
    summary: 'Download the recipients of a notification as CSV',
    description:
      'One record for each recipient, as many as there are; the audit log says who took it. A cell that a program for tables would run as a formula gets an apostrophe in front.',
    query: listRecipients,
    also: UNKNOWN,
    produces: CSV,
    headers: {
      'Content-Disposition': ['A name for the file.', 'attachment; filename="notification-12-recipients.csv"'],
    },
    async run({ tx, appId, params, query: { outcome }, note }) {
      const id = idOf(params)
      const found = await tx.notifications.recipients(appId, id, outcome)
      note({ target: String(id), after: { outcome: outcome ?? 'all' } })
      const records = recordsOf(
        ['install', 'user', 'outcome', 'kind', 'reason', 'explanation', 'transport'],
        found,
        ({ installId, userId, transport, outcome: became, kind, reason }) => [
          installId,
          userId,
          became,
          kind,
          reason,
          wordsOf(kind ?? reason ?? became)?.sentence ?? null,
          transport,
        ],
      )
      const name = `notification-${id}-${outcome ?? 'recipients'}.csv`
      return new Reply(200, records, { 'Content-Disposition': `attachment; filename="${name}"` })
    },
  }),
]
