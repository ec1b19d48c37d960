import { writeCursor } from '../../../src/domain/followers/position.ts'
import { fromMessagesForm, messagesForm } from '../../../src/domain/notifications/schema.ts'
import { SOURCE } from '../../../src/domain/notifications/types.ts'
import { parseJson } from '../../../src/platform/values/parse.ts'
import type { Areas } from '../../../src/program.ts'
import { circle } from '../geofences.ts'
import { formWith, smallPng } from '../pictures.ts'
import { alert, heading } from '../templates.ts'
import { type Row, row, rowOf } from './row.ts'
import type { Stage } from './stage.ts'
import { importId, type World } from './world.ts'

/** Calls of servers: the API of docs/openapi.json. */

const user = (s: Stage) => `user-${s.some()}`
/** One who agreed to in-app messages. */
const evenUser = (s: Stage) => `user-${s.some() & ~1 || 2}`
const CONTENT = { title: 'T', message: 'M' }
/** Differs between recipients. */
const PERSONAL = {
  personalize: {},
  content: {
    title: "{{ user.attributes.plan | default: 'T' }} {{ install.os }}",
    message: '{{ app.name }}',
    languages: { de: { title: 'T', message: 'M' } },
  },
}
const LATER = { sendAt: '2027-01-01 12:00', strategy: 'utc', pastTimes: 'ignore' }
const FILTER = { field: 'os', op: 'equals', value: 'Android' }
const TEMPLATE = { content: alert([heading()]) }

/** A notification to ten users that is due much later. */
async function scheduled(s: Stage): Promise<number> {
  const target = { userIds: [user(s), user(s), user(s)] }
  const { notification } = await s.call<{ notification: { id: number } }>('POST', '/messages/v2/notifications', {
    body: { target, content: CONTENT, schedule: LATER },
  })
  return notification.id
}

const newChannel = (s: Stage) => s.call('POST', '/messages/channels', { body: { uuid: `c-${s.next()}`, name: 'C' } })
const newSegment = (s: Stage) => s.call('POST', '/messages/v1/segments', { body: { name: 'S', filter: FILTER } })
const newFence = (s: Stage) =>
  s.call('POST', '/messages/v1/geofences', {
    body: { name: `F ${s.next()}`, boundsGeoJson: circle([-150 + (s.next() % 40), 10], 500) },
  })
/** A GeoJSON file with a geofence that has a tag. */
const fenceFile = (s: Stage, tag: string) => {
  const feature = circle([-150 + (s.next() % 40), 12], 500)
  const properties = { ...feature.properties, name: `I ${s.next()}`, tags: [tag] }
  return { type: 'FeatureCollection', features: [{ ...feature, properties }] }
}
const said = (s: Stage) => ({ title: 'Hello', message: `We are open (${s.next()})` })

async function newPushTemplate(s: Stage): Promise<string> {
  const uid = `push-template-${s.next()}`
  await s.call('POST', '/messages/v1/push-templates', { body: { uid, content: said(s) } })
  return uid
}

/** A picture of one pixel that no other row has. */
export async function newPicture(s: Stage): Promise<string> {
  const form = formWith(`p-${s.next()}.png`, 'image/png', smallPng({ red: s.next() % 256, green: s.next() % 256 }))
  const { uid } = await s.call<{ uid: string }>('POST', '/messages/v1/pictures', form)
  return uid
}

async function newTemplate(s: Stage): Promise<string> {
  const uid = `t-${s.next()}`
  await s.call('POST', '/messages/v1/templates', { body: { uid, ...TEMPLATE } })
  return uid
}
async function newRecord(s: Stage): Promise<number> {
  const body = { title: `T ${s.next()}`, n: 1 }
  const { ids } = await s.program.inTransaction((tx) => tx.records.create(s.first.id, `${s.first.id}_things`, body))
  return ids[0]!
}
const ALL_OF_IT = 'looks at every record'
/** A page of a data table: short statements, however many. */
const listOf = (what: string, query: (s: Stage) => string, more: Partial<Pick<Row, 'larger' | 'most'>> = {}) =>
  row(
    'get data /v1/data/:tableAlias',
    (s) => s.call('GET', `${things(s)}?numberPerPage=20&${query(s)}`, { auth: 'rest' }),
    {
      what,
      ...more,
    },
  )
const listOfNames = (what: string, query: (s: Stage) => string) =>
  row(
    'get data /v1/data/:tableAlias',
    (s) => s.call('GET', `/data/v1/data/${s.first.id}_names?numberPerPage=20&${query(s)}`, { auth: 'rest' }),
    { what },
  )
/** The last page of a table with half as many records as there are installs. */
const lastPage = ({ installs }: World) => Math.floor(installs / 40) + 1
const where = (...all: [field: string, op: string, value: unknown][]) =>
  `filter=${encodeURIComponent(JSON.stringify(all.map(([field, op, value]) => ({ field, op, value }))))}`
const things = (s: Stage) => `/data/v1/data/${s.first.id}_things`
const newMessage = (s: Stage) =>
  s.call('POST', '/messages/v1/in-app-messages', {
    body: { target: { userIds: [evenUser(s)] }, template: 'plain', presentedWhen: 'never', schedule: LATER },
  })

const storedMessage = async (s: Stage) => (await newMessage(s)) as unknown as { message: { id: number } }

const push =
  (path: string, target: object, more: object = {}) =>
  (s: Stage) =>
    s.call('POST', path, { body: { target, content: CONTENT, schedule: LATER, ...more } })

/** Ends what a row has scheduled, so that it does not count in later ones. */
async function thenCalledOff(s: Stage, send: Promise<{ notification: { id: number } }>): Promise<void> {
  const { notification } = await send
  await s.call('DELETE', `/messages/v2/scheduled-notifications/${notification.id}`)
}

const flat = { title: 'T', message: 'M', scheduled: true, schedule: LATER }

const USERS: Row[] = [
  row('get crm /v2/users', (s) => s.call('GET', '/crm/v2/users?currentPage=1&numberPerPage=20')),
  row(
    'get crm /v2/users',
    (s) => s.call('GET', `/crm/v2/users?currentPage=${Math.ceil(s.some() / 20)}&numberPerPage=20`),
    { what: 'any page' },
  ),
  ...[
    ['an attribute', 'filter={"field":"attributes.plan","op":"equals","value":"gold"}'],
    ['a channel', 'channelUuid=news'],
    ['a segment', (s: Stage) => `segmentUuid=${s.world.segment}`],
    ['activity', 'activeSince=2020-01-01'],
  ].map(([what, query]) =>
    row(
      'get crm /v2/users',
      (s) =>
        s.call('GET', `/crm/v2/users?numberPerPage=20&${encodeURI(typeof query === 'function' ? query(s) : query!)}`),
      { what: `a search for ${what as string}` },
    ),
  ),
  row(
    'get crm /v2/users',
    (s) => s.call('GET', `/crm/v2/users?${encodeURI('filter={"field":"attributes.none","op":"exists","value":true}')}`),
    { what: 'a search that finds nobody', larger: 'examines every user', most: 5 },
  ),
  row('get crm /v1/users/:userId', (s) => s.call('GET', `/crm/v1/users/${user(s)}`)),
  row('get crm /v1/users/:userId/attributes', (s) => s.call('GET', `/crm/v1/users/${user(s)}/attributes`)),
  row('put crm /v1/users/:userId/attributes', (s) =>
    s.call('PUT', `/crm/v1/users/${user(s)}/attributes`, { body: { plan: 'free', n: s.next() } }),
  ),
  row(
    'put crm /v1/users/:userId/attributes',
    (s) => s.call('PUT', `/crm/v1/users/new-${s.next()}/attributes`, { body: { plan: 'free' } }),
    { what: 'a new user' },
  ),
  row('patch crm /v1/users/:userId/attributes', (s) =>
    s.call('PATCH', `/crm/v1/users/${user(s)}/attributes`, { body: { plan: null, n: s.next() } }),
  ),
  row(
    'patch crm /v1/users/:userId/attributes',
    (s) => s.call('PATCH', `/crm/v1/users/new-${s.next()}/attributes`, { body: { plan: 'free' } }),
    { what: 'a new user' },
  ),
  row('delete crm /v1/users/:userId/attributes', (s) => s.call('DELETE', `/crm/v1/users/${user(s)}/attributes`)),
  row('delete crm /v1/users/:userId', (s) => s.call('DELETE', `/crm/v1/users/nobody-${s.next()}`)),
  row('delete crm /v1/installs/:installId', (s) => s.call('DELETE', `/crm/v1/installs/none-${s.next()}`)),
  rowOf(
    'get crm /v1/erasures/:erasureId',
    (s) => s.call<{ id: string }>('DELETE', `/crm/v1/users/nobody-${s.next()}`),
    (s, { id }) => s.call('GET', `/crm/v1/erasures/${id}`),
  ),
  row('get crm /v1/users/:userId/export', (s) => s.call('GET', `/crm/v1/users/${user(s)}/export`)),
  row('post crm /v1/users/:userId/token', (s) =>
    s.call('POST', `/crm/v1/users/${user(s)}/token`, { body: {}, expect: 409 }),
  ),
]

const orderPaid = (s: Stage, userId: string) => ({
  userId,
  type: 'order.paid',
  uuid: `order-${s.next()}`,
  timestamp: 1,
  data: { amount: 1 },
})
/** The middle of the log. */
async function someCursor(s: Stage): Promise<string> {
  const { next } = await s.program.eventLog.read({ appId: s.first.id, limit: 10 })
  return writeCursor(next)
}

const EVENTS: Row[] = [
  row('get messages /v1/events', (s) => s.call('GET', '/messages/v1/events?limit=20')),
  rowOf(
    'get messages /v1/events',
    someCursor,
    (s, after) => s.call('GET', `/messages/v1/events?limit=20&types=k.fg,order.paid&after=${after}`),
    { what: 'of some types' },
  ),
  rowOf(
    'get messages /v1/events',
    async (s) => {
      await s.program.inTransaction((tx) => tx.apps.setLogSettings(s.first.id, { deliveries: true }))
      return someCursor(s)
    },
    (s, after) => s.call('GET', `/messages/v1/events?limit=20&include=deliveries&after=${after}`),
    {
      what: 'with deliveries',
      after: (s) => s.program.inTransaction((tx) => tx.apps.setLogSettings(s.first.id, { deliveries: false })),
    },
  ),
  row('get messages /v1/events/latest', (s) => s.call('GET', '/messages/v1/events/latest?limit=20')),
  rowOf(
    'get messages /v1/events/latest',
    someCursor,
    (s, before) => s.call('GET', `/messages/v1/events/latest?q=session&types=k.fg&before=${before}`),
    { what: 'with a text in their id' },
  ),
  row('get messages /v1/events/latest', (s) => s.call('GET', `/messages/v1/events/latest?userId=${user(s)}`), {
    what: 'of a user',
  }),
  rowOf(
    'get messages /v1/events/latest',
    someCursor,
    (s, before) => s.call('GET', `/messages/v1/events/latest?userId=${user(s)}&before=${before}`),
    { what: 'of a user, older ones' },
  ),
  row(
    'get messages /v1/events/latest',
    (s) => s.call('GET', `/messages/v1/events/latest?installId=install-${s.some()}`),
    {
      what: 'of an install',
    },
  ),
  row('get messages /v1/events/settings', (s) => s.call('GET', '/messages/v1/events/settings')),
  row('put messages /v1/events/settings', (s) =>
    s.call('PUT', '/messages/v1/events/settings', { body: { deliveries: false } }),
  ),
  row('post events /v1/events', (s) =>
    s.call('POST', '/events/v1/events', { body: [orderPaid(s, user(s)), orderPaid(s, user(s))] }),
  ),
  row(
    'post events /v1/events',
    (s) => s.call('POST', '/events/v1/events', { body: [orderPaid(s, `new-${s.next()}`)] }),
    {
      what: 'a new user',
    },
  ),
]

const PURPOSE = { name: 'Offers', default: true }
const newPurpose = async (s: Stage): Promise<string> => {
  const uid = `p-${s.next()}`
  await s.call('PUT', `/crm/v1/purposes/${uid}`, { body: PURPOSE })
  return uid
}
const dropPurpose = (s: Stage, uid: string) => s.call('DELETE', `/crm/v1/purposes/${uid}`)
const suppress = async (s: Stage): Promise<string> => {
  const identifier = `nobody-${s.next()}`
  await s.call('PUT', `/crm/v1/suppressions/${identifier}`, { body: { reason: 'asked' } })
  return identifier
}
const relieve = (s: Stage, identifier: string) => s.call('DELETE', `/crm/v1/suppressions/${identifier}`)

const CONSENT: Row[] = [
  row('get crm /v1/purposes', (s) => s.call('GET', '/crm/v1/purposes')),
  row('get crm /v1/purposes/:uid', (s) => s.call('GET', '/crm/v1/purposes/news')),
  rowOf(
    'put crm /v1/purposes/:uid',
    newPurpose,
    (s, uid) => s.call('PUT', `/crm/v1/purposes/${uid}`, { body: PURPOSE }),
    {
      after: dropPurpose,
    },
  ),
  rowOf('delete crm /v1/purposes/:uid', newPurpose, dropPurpose),
  row('get crm /v1/users/:userId/choices', (s) => s.call('GET', `/crm/v1/users/${user(s)}/choices`)),
  row('put crm /v1/users/:userId/choices', (s) =>
    s.call('PUT', `/crm/v1/users/${user(s)}/choices`, { body: { news: s.next() % 2 === 0 } }),
  ),
  row(
    'put crm /v1/users/:userId/choices',
    (s) => s.call('PUT', `/crm/v1/users/${user(s)}/choices`, { body: { news: null } }),
    {
      what: 'back to the default',
    },
  ),
  rowOf('get crm /v1/suppressions', suppress, (s) => s.call('GET', '/crm/v1/suppressions'), { after: relieve }),
  rowOf(
    'post crm /v1/suppressions',
    async (s) => `nobody-${s.next()}`,
    (s, identifier) => s.call('POST', '/crm/v1/suppressions', { body: { userIds: [identifier] } }),
    { after: relieve },
  ),
  rowOf('get crm /v1/suppressions/:identifier', suppress, (s, who) => s.call('GET', `/crm/v1/suppressions/${who}`), {
    after: relieve,
  }),
  rowOf(
    'put crm /v1/suppressions/:identifier',
    suppress,
    (s, who) => s.call('PUT', `/crm/v1/suppressions/${who}`, { body: { reason: 'again' } }),
    { after: relieve },
  ),
  rowOf('delete crm /v1/suppressions/:identifier', suppress, relieve),
]

const RECORDS: Row[] = [
  row('post data /v1/data/:tableAlias', (s) =>
    s.call('POST', things(s), { auth: 'rest', body: { title: `T ${s.next()}`, n: 1 } }),
  ),
  row('post data /v1/data/:tableAlias/:id', (s) =>
    s.call('POST', `${things(s)}/bulk`, { auth: 'rest', body: [{ title: 'a' }, { title: 'b' }] }),
  ),
  row('get data /v1/data/:tableAlias', (s) => s.call('GET', `${things(s)}?numberPerPage=20`, { auth: 'rest' })),
  listOf('sorted by an indexed column', () => 'sortBy=title'),
  listOfNames('sorted in the order of a language', () => 'sortBy=-name'),
  listOfNames('a range in the order of a language', () => `sortBy=name&${where(['name', 'atLeast', 'NAME 5'])}`),
  listOfNames('a far page in the order of a language', ({ world }) => `sortBy=name&page=${lastPage(world)}`),
  listOf('filtered by an indexed column', (s) => where(['title', 'equals', `Title ${Math.ceil(s.some() / 2)}`])),
  listOf('a far page', ({ world }) => `page=${lastPage(world)}`),
  listOf('a far page by an indexed column', ({ world }) => `sortBy=-title&page=${lastPage(world)}`),
  listOf(
    'a far page of a range',
    ({ world }) => `sortBy=title&page=${lastPage(world)}&${where(['title', 'atLeast', 'T'])}`,
    { larger: 'steps over the records before it', most: 5 },
  ),
  listOf('sorted by another column', () => 'sortBy=-n', { larger: ALL_OF_IT, most: 5 }),
  listOf('contains, by id', () => where(['note', 'contains', 'nowhere'], ['n', 'atLeast', 0]), {
    larger: ALL_OF_IT,
    most: 5,
  }),
  listOf('contains, by an indexed column', () => `sortBy=title&${where(['note', 'contains', 'nowhere'])}`, {
    larger: ALL_OF_IT,
    most: 5,
  }),
  // Few enough to check them all in one statement, if the table is small.
  listOf('contains, in a range', () => where(['note', 'contains', 'nowhere'], ['title', 'atLeast', 'Title 99']), {
    larger: 'looks at every record of it',
    most: 5,
  }),
  listOf('a count of what is filtered', () => `count=true&${where(['n', 'atLeast', 500], ['note', 'exists', true])}`, {
    larger: ALL_OF_IT,
    most: 5,
  }),
  listOf('a count of a range', () => `count=true&sortBy=title&${where(['title', 'atLeast', 'T'])}`, {
    larger: 'steps over every record of it',
    most: 5,
  }),
  row('get data /v1/data/:tableAlias/:id', (s) =>
    s.call('GET', `${things(s)}/${Math.ceil(s.some() / 2)}`, { auth: 'rest' }),
  ),
  rowOf('put data /v1/data/:tableAlias/:id', newRecord, (s, id) =>
    s.call('PUT', `${things(s)}/${id}`, { auth: 'rest', body: { n: 2 } }),
  ),
  rowOf('delete data /v1/data/:tableAlias/:id', newRecord, (s, id) =>
    s.call('DELETE', `${things(s)}/${id}`, { auth: 'rest' }),
  ),
]

interface Labelled {
  notification: { id: number }
}

const SENDS: Row[] = [
  row('post messages /v2/notifications', (s) =>
    thenCalledOff(
      s,
      s.call('POST', '/messages/v2/notifications', {
        body: { target: { userIds: [user(s), user(s)] }, content: CONTENT, schedule: LATER },
      }),
    ),
  ),
  row(
    'post messages /v2/notifications',
    (s) => thenCalledOff(s, push('/messages/v2/notifications', { broadcast: true })(s) as never),
    {
      what: 'to all',
    },
  ),
  row(
    'post messages /v2/notifications',
    (s) =>
      thenCalledOff(
        s,
        push('/messages/v2/notifications', {
          channelUuids: ['news'],
          segmentUuid: s.world.segment,
          geofenceIds: [s.world.fence],
        })(s) as never,
      ),
    { what: 'to a channel, a segment and a geofence' },
  ),
  row(
    'post messages /v2/notifications',
    (s) =>
      thenCalledOff(
        s,
        s.call('POST', '/messages/v2/notifications', {
          body: { target: { userIds: [user(s)] }, content: { template: 'plain' }, schedule: LATER },
        }),
      ),
    { what: 'of a push template' },
  ),
  rowOf(
    'post messages /v2/notifications',
    async () => [] as number[],
    async ({ program, first, some }, ids) => {
      const accept = async (target: object) => {
        const request = fromMessagesForm(parseJson(messagesForm, { target, content: CONTENT }))
        const work = (tx: Areas) => tx.sends.accept(first.id, SOURCE.messages, request)
        const { notification } = await program.inTransaction(work, { shares: true })
        if (notification) ids.push(notification.id)
      }
      const users = Array.from({ length: 3 }, () => ({ userIds: [`user-${some()}`] }))
      const installs = Array.from({ length: 3 }, () => ({ installIds: [`install-${some()}`] }))
      await Promise.all([...users, ...installs].map(accept))
    },
    {
      what: 'several at the same time',
      after: ({ program }, ids) => program.kernel.db.write((trx) => trx('notifications').whereIn('id', ids).del()),
    },
  ),
  row('post push /v2/notifications', (s) =>
    thenCalledOff(
      s,
      s.call('POST', '/push/v2/notifications', {
        body: { target: { userIds: [user(s)] }, content: CONTENT, schedule: LATER },
      }),
    ),
  ),
  row('post push /notifications', (s) =>
    thenCalledOff(
      s,
      s
        .call('POST', '/push/notifications', { body: { installIds: [`install-${s.some()}`], ...flat } })
        .then((notification) => ({ notification })),
    ),
  ),
  row(
    'post messages /v2/notifications/preview',
    (s) =>
      s.call('POST', '/messages/v2/notifications/preview', { body: { target: { broadcast: true }, content: CONTENT } }),
    { what: 'to all', larger: 'counts everybody', most: 5 },
  ),
  row('post messages /v2/notifications/preview', (s) =>
    s.call('POST', '/messages/v2/notifications/preview', {
      body: { target: { userIds: [user(s)] }, content: CONTENT },
    }),
  ),
  row(
    'post messages /v2/notifications/preview',
    (s) =>
      s.call('POST', `/messages/v2/notifications/preview?userId=${user(s)}&sample=20`, {
        body: { target: { broadcast: true }, ...PERSONAL },
      }),
    { what: 'for a user and a sample', larger: 'counts everybody', most: 8 },
  ),
  row('get messages /v2/notifications', (s) => s.call('GET', '/messages/v2/notifications?limit=20')),
  ...['status=sent', 'status=0', 'createdSince=2020-01-01', 'status=failed&createdBefore=2030-01-01'].map((query) =>
    row('get messages /v2/notifications', (s) => s.call('GET', `/messages/v2/notifications?limit=20&${query}`), {
      what: query,
    }),
  ),
  ...['label=label-1', 'label=label-1&status=failed&createdBefore=2030-01-01'].map((query) =>
    row('get messages /v2/notifications', (s) => s.call('GET', `/messages/v2/notifications?limit=20&${query}`), {
      what: query,
      larger: 'reads 500 rows of the label',
      most: 8,
    }),
  ),
  ...['order=due', 'order=sent', 'order=sent&status=sent&label=label-1'].map((query) =>
    row('get messages /v2/notifications', (s) => s.call('GET', `/messages/v2/notifications?limit=20&${query}`), {
      what: query,
      larger: 'reads 500 rows',
      most: 8,
    }),
  ),
  row(
    'get messages /v2/notifications',
    (s) => s.call('GET', `/messages/v2/notifications?limit=20&order=sent&after=${s.world.big}`),
    { what: 'a later page in the order in which they were sent' },
  ),
  row('get messages /v1/labels', (s) => s.call('GET', '/messages/v1/labels?q=label-&limit=3')),
  row('get messages /v1/labels/report', (s) => s.call('GET', '/messages/v1/labels/report?createdSince=2020-01-01'), {
    larger: 'adds up 500 sends of each label',
    most: 8,
  }),
  rowOf(
    'post messages /v2/notifications',
    async () => ({ id: 0 }),
    async (s, made) => {
      const body = { target: { userIds: [user(s)] }, content: CONTENT, schedule: LATER, labels: ['a', 'b'] }
      const { notification } = await s.call<Labelled>('POST', '/messages/v2/notifications', { body })
      await s.call('PATCH', `/messages/v2/notifications/${notification.id}`, { body: { labels: ['b', 'c'] } })
      Object.assign(made, notification)
    },
    { what: 'with labels', after: (s, { id }) => s.call('DELETE', `/messages/v2/scheduled-notifications/${id}`) },
  ),
  row(
    'get messages /v2/notifications',
    (s) => s.call('GET', `/messages/v2/notifications?limit=20&createdSince=2020-01-01&after=${s.world.big}`),
    { what: 'a later page of a time' },
  ),
  row('get messages /v2/notifications/:id', (s) => s.call('GET', `/messages/v2/notifications/${s.world.big}`), {
    what: 'sent to all',
  }),
  row(
    'get messages /v2/notifications/:id/recipients',
    (s) => s.call('GET', `/messages/v2/notifications/${s.world.big}/recipients`),
    { larger: 'reads every recipient of the notification', most: 5 },
  ),
  row('get messages /v2/notifications/:id', (s) => s.call('GET', `/messages/v2/notifications/${s.world.big + 3}`), {
    what: 'sent to ten',
  }),
  row(
    'get messages /notifications/:id/install-opens',
    (s) => s.call('GET', `/messages/notifications/${s.world.big}/install-opens`),
    {
      larger: 'lists every opening',
      most: 5,
    },
  ),
  row(
    'get messages /notifications/:id/user-opens',
    (s) => s.call('GET', `/messages/notifications/${s.world.big}/user-opens`),
    {
      larger: 'lists every opening',
      most: 5,
    },
  ),
  row('get messages /v2/scheduled-notifications', (s) =>
    s.call('GET', '/messages/v2/scheduled-notifications?limit=20'),
  ),
  rowOf('patch messages /v2/notifications/:id', scheduled, (s, id) =>
    s.call('PATCH', `/messages/v2/notifications/${id}`, {
      body: { content: { title: 'New', message: 'M' }, userMeta: { [user(s)]: { a: 1 } } },
    }),
  ),
  rowOf('delete messages /v2/scheduled-notifications/:id', scheduled, (s, id) =>
    s.call('DELETE', `/messages/v2/scheduled-notifications/${id}`),
  ),
  rowOf('post messages /v1/in-app-messages', async () => undefined, newMessage),
  row('post messages /v1/in-app-messages/preview', (s) =>
    s.call('POST', `/messages/v1/in-app-messages/preview?userId=${user(s)}`, {
      body: {
        target: { broadcast: true },
        template: 'plain',
        presentedWhen: 'never',
        personalize: {},
        languages: { de: {} },
        data: { plan: "{{ user.attributes.plan | default: 'none' }}" },
        notification: { title: '{{ user.identifier }}', message: 'M', languages: { de: { title: 'T', message: 'M' } } },
      },
    }),
  ),
  row('get messages /v1/in-app-messages', (s) => s.call('GET', '/messages/v1/in-app-messages?limit=20')),
  row('get messages /v1/in-app-messages', (s) => s.call('GET', '/messages/v1/in-app-messages?limit=20&label=label-1'), {
    what: 'with a label',
  }),
  ...['order=due', 'order=sent'].map((query) =>
    row('get messages /v1/in-app-messages', (s) => s.call('GET', `/messages/v1/in-app-messages?limit=20&${query}`), {
      what: query,
    }),
  ),
  row('get messages /v1/in-app-messages/:id', (s) => s.call('GET', `/messages/v1/in-app-messages/${s.world.message}`)),
  ...[
    { data: { a: 1 }, schedule: { ...LATER, sendAt: '2039-01-01 09:00' } },
    { content: {}, notification: { title: 'T', message: 'M' }, target: { broadcast: true }, labels: ['label-1'] },
  ].map((body, i) =>
    rowOf(
      'patch messages /v1/in-app-messages/:id',
      storedMessage,
      (s, { message }) => s.call('PATCH', `/messages/v1/in-app-messages/${message.id}`, { body }),
      { what: i === 0 ? 'its time' : 'what it says and to whom' },
    ),
  ),
  rowOf('delete messages /v1/in-app-messages/:id', storedMessage, (s, { message }) =>
    s.call('DELETE', `/messages/v1/in-app-messages/${message.id}`),
  ),
]

const CHANNELS: Row[] = [
  row('post messages /channels', newChannel),
  row('get messages /channels', (s) => s.call('GET', '/messages/channels?limit=20')),
  row('get messages /channels/:id', (s) => s.call('GET', `/messages/channels/${s.world.channel}`)),
  row('put messages /channels/:id', (s) =>
    s.call('PUT', `/messages/channels/${s.world.channel}`, { body: { name: 'News' } }),
  ),
  rowOf('delete messages /channels/:id', newChannel, (s, { id }) => s.call('DELETE', `/messages/channels/${id}`)),
  row('post push /channels/:id/subscriptions', (s) =>
    s.call('POST', `/push/channels/${s.world.channel}/subscriptions`, { body: { userIds: [user(s)] } }),
  ),
  row('delete push /channels/:id/subscriptions', (s) =>
    s.call('DELETE', `/push/channels/${s.world.channel}/subscriptions`, { body: { userIds: [user(s)] } }),
  ),
  row('post messages /v2/channels/:uuid/subscriptions', (s) =>
    s.call('POST', '/messages/v2/channels/news/subscriptions', {
      body: { userIds: [user(s)], installIds: [`install-${s.some()}`] },
    }),
  ),
  row('delete messages /v2/channels/:uuid/subscriptions', (s) =>
    s.call('DELETE', '/messages/v2/channels/news/subscriptions', {
      body: { userIds: [user(s)], installIds: [`install-${s.some()}`] },
    }),
  ),
  row('get messages /v2/channels/:uuid/subscriptions', (s) =>
    s.call('GET', '/messages/v2/channels/news/subscriptions?limit=20'),
  ),
  row(
    'get messages /v2/channels/:uuid/subscriptions',
    (s) => s.call('GET', '/messages/v2/channels/news/subscriptions?limit=20&after=i0'),
    { what: 'of installs' },
  ),
  row('post messages /v2/channels/:uuid/subscribers-file', (s) =>
    s.call('POST', '/messages/v2/channels/news/subscribers-file', fileOf(s)),
  ),
  row('get messages /v2/channels/:uuid/imports', (s) => s.call('GET', '/messages/v2/channels/news/imports?limit=20')),
  row('get messages /v2/channels/:uuid/imports/:id', (s) =>
    s.call('GET', `/messages/v2/channels/news/imports/${importId(3)}`),
  ),
]

/** A multipart request with three known users and one unknown. */
export function fileOf(s: Stage) {
  const lines = [user(s), user(s), user(s), 'nobody'].join('\n')
  const body = `--x\r\nContent-Disposition: form-data; name="file"; filename="u.csv"\r\nContent-Type: text/csv\r\n\r\n${lines}\n\r\n--x--\r\n`
  return { body: Buffer.from(body), headers: { 'content-type': 'multipart/form-data; boundary=x' } }
}

const SEGMENTS: Row[] = [
  row('post messages /v1/segments', newSegment),
  row('get messages /v1/segments', (s) => s.call('GET', '/messages/v1/segments?limit=20')),
  row('get messages /v1/segments/:id', (s) => s.call('GET', `/messages/v1/segments/${s.world.segment}`)),
  row(
    'get messages /v1/segments/:id/preview',
    (s) => s.call('GET', `/messages/v1/segments/${s.world.segment}/preview`),
    {
      larger: 'counts everybody who is in it',
      most: 5,
    },
  ),
  row(
    'post messages /v1/segments/:id/count',
    (s) => s.call('POST', `/messages/v1/segments/${s.world.segment}/count`, { body: {} }),
    { larger: 'checks up to 50,000 installs', most: 5 },
  ),
  row('put messages /v1/segments/:id', (s) =>
    s.call('PUT', `/messages/v1/segments/${s.world.segment}`, { body: { name: 'Gold' } }),
  ),
  rowOf('delete messages /v1/segments/:id', newSegment, (s, { id }) => s.call('DELETE', `/messages/v1/segments/${id}`)),
]

const TEMPLATES: Row[] = [
  row('post messages /v1/templates', newTemplate),
  row('get messages /v1/templates', (s) => s.call('GET', '/messages/v1/templates?limit=20')),
  row('get messages /v1/templates/:uid', (s) => s.call('GET', '/messages/v1/templates/plain')),
  rowOf('put messages /v1/templates/:uid', newTemplate, (s, uid) =>
    s.call('PUT', `/messages/v1/templates/${uid}`, { body: { content: alert([heading(`Hello ${s.next()}`)]) } }),
  ),
  rowOf('delete messages /v1/templates/:uid', newTemplate, (s, uid) =>
    s.call('DELETE', `/messages/v1/templates/${uid}`),
  ),
  row('get messages /v1/templates/:uid/versions', (s) => s.call('GET', '/messages/v1/templates/plain/versions')),
  row('get messages /v1/templates/:uid/versions/:version', (s) =>
    s.call('GET', '/messages/v1/templates/plain/versions/1'),
  ),
  row('post messages /v1/templates/:uid/preview', (s) =>
    s.call('POST', '/messages/v1/templates/plain/preview', { body: {} }),
  ),
  row('get messages /v1/template-starters', (s) => s.call('GET', '/messages/v1/template-starters')),
]

const PUSH_TEMPLATES: Row[] = [
  row('post messages /v1/push-templates', newPushTemplate),
  row('get messages /v1/push-templates', (s) => s.call('GET', '/messages/v1/push-templates?limit=20')),
  row('get messages /v1/push-templates/:uid', (s) => s.call('GET', '/messages/v1/push-templates/plain')),
  rowOf('put messages /v1/push-templates/:uid', newPushTemplate, (s, uid) =>
    s.call('PUT', `/messages/v1/push-templates/${uid}`, { body: { content: said(s) } }),
  ),
  rowOf('delete messages /v1/push-templates/:uid', newPushTemplate, (s, uid) =>
    s.call('DELETE', `/messages/v1/push-templates/${uid}`),
  ),
  row('get messages /v1/push-templates/:uid/versions', (s) =>
    s.call('GET', '/messages/v1/push-templates/plain/versions'),
  ),
  row('get messages /v1/push-templates/:uid/versions/:version', (s) =>
    s.call('GET', '/messages/v1/push-templates/plain/versions/1'),
  ),
  row('post messages /v1/push-templates/:uid/preview', (s) =>
    s.call('POST', '/messages/v1/push-templates/plain/preview', { body: {} }),
  ),
]

const PICTURES: Row[] = [
  row('post messages /v1/pictures', newPicture),
  row('get messages /v1/pictures', (s) => s.call('GET', '/messages/v1/pictures?limit=20')),
  row('get messages /v1/pictures', (s) => s.call('GET', '/messages/v1/pictures?limit=20&used=true'), { what: 'used' }),
  row('get messages /v1/pictures', (s) => s.call('GET', '/messages/v1/pictures?limit=20&used=false'), {
    what: 'not used',
  }),
  rowOf('get messages /v1/pictures/:uid', newPicture, (s, uid) => s.call('GET', `/messages/v1/pictures/${uid}`)),
  rowOf('delete messages /v1/pictures/:uid', newPicture, (s, uid) =>
    s.call('DELETE', `/messages/v1/pictures/${uid}?force=true`),
  ),
]

const PLACES: Row[] = [
  row('post messages /v1/geofences', newFence),
  row('post messages /v1/geofences/import', (s) =>
    s.call('POST', '/messages/v1/geofences/import', { body: fenceFile(s, 'near') }),
  ),
  row('post messages /v1/geofences/import/preview', (s) =>
    s.call('POST', '/messages/v1/geofences/import/preview', { body: fenceFile(s, 'near') }),
  ),
  row('get messages /v1/geofences', (s) => s.call('GET', '/messages/v1/geofences?limit=100')),
  row('get messages /v1/geofences/:id', (s) => s.call('GET', `/messages/v1/geofences/${s.world.fence}`)),
  rowOf('put messages /v1/geofences/:id', newFence, (s, { id }) =>
    s.call('PUT', `/messages/v1/geofences/${id}`, {
      body: { boundsGeoJson: circle([-160, 20], 700), tags: ['moved'] },
    }),
  ),
  rowOf('delete messages /v1/geofences/:id', newFence, (s, { id }) => s.call('DELETE', `/messages/v1/geofences/${id}`)),
]

const ADDRESS = 'https://example.com/'
const LINKS: Row[] = [
  row('post links /v1/deep-links', (s) =>
    s.call('POST', '/links/v1/deep-links', {
      body: [{ linkData: {}, slug: `n-${s.next()}`, desktopWebFallbackUrl: ADDRESS, mobileWebFallbackUrl: ADDRESS }],
    }),
  ),
  rowOf(
    'post links /v1/deep-links',
    newPicture,
    (s, uid) => {
      const pictureUrl = `https://push.example.com/pictures/${uid}.png`
      const slug = `n-${s.next()}`
      return s.call('POST', '/links/v1/deep-links', {
        body: [{ linkData: {}, slug, pictureUrl, desktopWebFallbackUrl: ADDRESS, mobileWebFallbackUrl: ADDRESS }],
      })
    },
    { what: 'with a picture' },
  ),
  row('get links /v1/deep-links', (s) => s.call('GET', '/links/v1/deep-links?limit=20')),
  row('get links /v1/deep-links/:id', (s) => s.call('GET', `/links/v1/deep-links/${Math.ceil(s.some() / 2)}`)),
  row('patch links /v1/deep-links/:id', (s) =>
    s.call('PATCH', `/links/v1/deep-links/${Math.ceil(s.some() / 2)}`, { body: { lookupLimit: 500 + s.next() } }),
  ),
  rowOf(
    'delete links /v1/deep-links/:id',
    (s) =>
      s.call<{ id: number }[]>('POST', '/links/v1/deep-links', {
        body: [{ linkData: {}, slug: `d-${s.next()}`, desktopWebFallbackUrl: ADDRESS, mobileWebFallbackUrl: ADDRESS }],
      }),
    (s, [link]) => s.call('DELETE', `/links/v1/deep-links/${link!.id}`),
  ),
  row('get links /v1/link-settings', (s) => s.call('GET', '/links/v1/link-settings')),
  row('put links /v1/link-settings', (s) =>
    s.call('PUT', '/links/v1/link-settings', { body: { fingerprintWindow: 3600 } }),
  ),
]

const APP: Row[] = [
  row('put push /v1/apps/:appId', (s) => s.call('PUT', `/push/v1/apps/${s.first.id}`, { body: { web: {} } })),
  rowOf(
    'delete push /v1/apps/:appId/platform-configs/:platform',
    (s) => s.call('PUT', `/push/v1/apps/${s.first.id}`, { body: { web: {} } }),
    (s) => s.call('DELETE', `/push/v1/apps/${s.first.id}/platform-configs/web`),
    { after: (s) => s.call('PUT', `/push/v1/apps/${s.first.id}`, { body: { web: {} } }) },
  ),
  row('get push /v1/apps/:appId', (s) => s.call('GET', `/push/v1/apps/${s.first.id}`)),
  row('get messages /v1/restraint', (s) => s.call('GET', '/messages/v1/restraint')),
  row('put messages /v1/restraint', (s) =>
    s.call('PUT', '/messages/v1/restraint', { body: { frequencyCap: { count: 1000, hours: 24 } } }),
  ),
  row('put events /dsyms', (s) => s.call('PUT', '/events/dsyms')),
]

const hook = async (s: Stage) => {
  const body = { url: `https://hooks.example.com/${s.next()}`, batch: { max: 100 } }
  return s.call<{ id: number }>('POST', '/messages/v1/webhooks', { body })
}
const unhook = (s: Stage, { id }: { id: number }) => s.call('DELETE', `/messages/v1/webhooks/${id}`)
const onHook = (
  covers: string,
  method: string,
  path: string,
  { body, ...more }: { body?: object; after?: typeof unhook } = { after: unhook },
): Row =>
  rowOf(covers, hook, (s, { id }) => s.call(method, `/messages/v1/webhooks/${id}${path}`, body && { body }), {
    after: unhook,
    most: 20,
    ...more,
  })

const WEBHOOKS: Row[] = [
  {
    covers: 'post messages /v1/webhooks',
    what: '',
    most: 20,
    act(s) {
      let made: { id: number }
      return Promise.resolve({ run: async () => (made = await hook(s)), after: () => unhook(s, made) })
    },
  },
  row('get messages /v1/webhooks', (s) => s.call('GET', '/messages/v1/webhooks')),
  onHook('get messages /v1/webhooks/:id', 'GET', ''),
  onHook('patch messages /v1/webhooks/:id', 'PATCH', '', { body: { enabled: false, batch: { max: 2 } } }),
  rowOf('delete messages /v1/webhooks/:id', hook, unhook, { most: 20 }),
  onHook('post messages /v1/webhooks/:id/rotate', 'POST', '/rotate', { body: {} }),
  onHook('post messages /v1/webhooks/:id/replay', 'POST', '/replay', { body: { from: '2026-02-01' } }),
  rowOf(
    'delete messages /v1/webhooks/:id/replay',
    async (s) => {
      const made = await hook(s)
      await s.call('POST', `/messages/v1/webhooks/${made.id}/replay`, { body: { from: '2026-02-01' } })
      return made
    },
    (s, { id }) => s.call('DELETE', `/messages/v1/webhooks/${id}/replay`),
    { after: unhook, most: 20 },
  ),
  onHook('get messages /v1/webhooks/:id/attempts', 'GET', '/attempts'),
]

const METRIC = { event: 'order.paid', value: 'data.amount' }
const newMetric = async (s: Stage): Promise<string> => {
  const name = `m-${s.next()}`
  await s.call('PUT', `/messages/v1/metrics/${name}`, { body: METRIC })
  return name
}
const dropMetric = (s: Stage, name: string) => s.call('DELETE', `/messages/v1/metrics/${name}`)

const METRICS: Row[] = [
  row('get messages /v1/metrics', (s) => s.call('GET', '/messages/v1/metrics')),
  row('get messages /v1/metrics/:name', (s) => s.call('GET', '/messages/v1/metrics/revenue')),
  rowOf(
    'put messages /v1/metrics/:name',
    newMetric,
    (s, name) => s.call('PUT', `/messages/v1/metrics/${name}`, { body: { event: 'order.paid' } }),
    { after: dropMetric },
  ),
  rowOf('delete messages /v1/metrics/:name', newMetric, dropMetric),
  row(
    'post messages /v1/segments',
    (s) => {
      const filter = { field: 'metrics.revenue', op: 'atLeast', value: 5, withinDays: 30 }
      return s.call('POST', '/messages/v1/segments', { body: { name: 'Paid', filter } })
    },
    { what: 'with a metric' },
  ),
]

export const SERVER_ROWS: readonly Row[] = [
  ...USERS,
  ...EVENTS,
  ...CONSENT,
  ...RECORDS,
  ...SENDS,
  ...CHANNELS,
  ...SEGMENTS,
  ...TEMPLATES,
  ...PUSH_TEMPLATES,
  ...PICTURES,
  ...PLACES,
  ...LINKS,
  ...APP,
  ...WEBHOOKS,
  ...METRICS,
]
