import { EVENT_TYPES } from '../../../src/domain/events/event-types.ts'
import { ACRA, KSCRASH, RAVEN } from '../../domain/crashes/reports.ts'
import { type Row, row, rowOf } from './row.ts'
import { newPicture } from './server-rows.ts'
import type { CallHow, Stage } from './stage.ts'

/** Calls of devices and browsers: their API, every type of event, the public pages. */

const device = (s: Stage, method: string, path: string, body?: unknown, how: CallHow = {}) =>
  s.call(method, path, { auth: 'device', ...(body !== undefined && { body }), ...how })

/** Uploads events of an install, by default of one that is known. */
async function upload(s: Stage, events: readonly { type: string; data?: object }[], install = `install-${s.some()}`) {
  // Another hour for each, so that activity is counted.
  s.clock.advance(1000)
  const body = events.map((event) => ({ uuid: `event-${s.next()}`, timestamp: s.clock.now(), ...event }))
  const answer = await device(s, 'POST', `/events/v1/app-installs/${install}/events`, body)
  if ('refused' in answer) throw new Error(JSON.stringify(answer))
}

const PUSH = 1
const IN_APP = 2

/** The data of each type of event, for an install and its user. */
const DATA: Record<keyof typeof EVENT_TYPES, (s: Stage, install: number) => object> = {
  'k.fg': () => ({}),
  'k.stats.installTracked': () => ({
    app: { version: '2.3' },
    device: { name: 'Pixel', tz: 'Asia/Tokyo', locale: 'en-US', iana: 'Asia/Tokyo' },
    platform: { type: 2 },
  }),
  'k.stats.userAssociated': (_, install) => ({ id: `user-${install}`, attributes: { plan: 'free' } }),
  'k.stats.userAssociationCleared': (_, install) => ({ oldUserIdentifier: `user-${install}` }),
  'k.push.deviceRegistered': (s) => ({ token: `new-token-${s.next()}`, type: 2 }),
  'k.push.deviceUnsubscribed': () => ({}),
  'k.push.notificationEnablementChanged': () => ({ enabled: true }),
  'k.inApp.statusUpdated': () => ({ consented: true }),
  'k.engage.beaconEnteredProximity': () => ({ type: 1, uuid: 'b', major: 1, minor: 2, proximity: 1 }),
  'k.crash.loggedException': (s) => ({ format: 'raven', report: { ...RAVEN, event_id: `crash-${s.next()}` } }),
  'k.engage.locationUpdated': (s) => ({ lat: 52.5, lng: 13.4 + (s.next() % 9) / 1000 }),
  'k.message.delivered': ({ world }) => ({ id: world.big, type: PUSH }),
  'k.message.opened': ({ world }) => ({ id: world.big, type: PUSH }),
  'k.message.dismissed': ({ world }) => ({ id: world.big, type: PUSH }),
  'k.message.read': ({ world }) => ({ id: world.message, type: IN_APP }),
  'k.message.inbox.deleted': ({ world }) => ({ id: world.message, type: IN_APP }),
  'k.push.opened': ({ world }) => ({ id: world.big }),
}

/** Types that are about a push or an in-app message. */
const ABOUT_BOTH = ['k.message.delivered', 'k.message.opened', 'k.message.dismissed'] as const

const EVENTS: Row[] = [
  ...Object.entries(DATA).map(([type, dataOf]) =>
    row(`event ${type}`, (s) => {
      const install = s.some()
      return upload(s, [{ type, data: dataOf(s, install) }], `install-${install}`)
    }),
  ),
  ...ABOUT_BOTH.map((type) =>
    row(
      `event ${type}`,
      (s) => {
        const even = s.some() & ~1 || 2
        return upload(s, [{ type, data: { id: s.world.message, type: IN_APP } }], `install-${even}`)
      },
      { what: 'of an in-app message' },
    ),
  ),
  row(
    'event k.stats.userAssociated',
    (s) => upload(s, [{ type: 'k.stats.userAssociated', data: { id: `user-${s.some()}` } }]),
    {
      what: 'another user',
    },
  ),
  row(
    'event k.engage.locationUpdated',
    (s) => upload(s, [{ type: 'k.engage.locationUpdated', data: { lat: 52.5, lng: 13.4 } }], `away-${s.next()}`),
    { what: 'a new install enters a geofence' },
  ),
  row(
    'event k.engage.locationUpdated',
    async (s) => {
      const install = `left-${s.next()}`
      await upload(s, [{ type: 'k.engage.locationUpdated', data: { lat: 52.5, lng: 13.4 } }], install)
      return upload(s, [{ type: 'k.engage.locationUpdated', data: { lat: 1, lng: 1 } }], install)
    },
    { what: 'leaves a geofence' },
  ),
]

const PURPOSES: Row[] = [
  row('get crm /v1/users/:userId/purposes', (s) => device(s, 'GET', `/crm/v1/users/user-${s.some()}/purposes`)),
  row('put crm /v1/users/:userId/purposes', (s) =>
    device(s, 'PUT', `/crm/v1/users/user-${s.some()}/purposes`, { news: s.next() % 2 === 0 }),
  ),
  row(
    'put crm /v1/users/:userId/purposes',
    (s) => device(s, 'PUT', `/crm/v1/users/new-${s.next()}/purposes`, { news: false }),
    {
      what: 'a new user',
    },
  ),
]

const INSTALLS: Row[] = [
  row('post events /v1/app-installs/:installId/events', (s) => upload(s, [{ type: 'k.fg' }])),
  row(
    'post events /v1/app-installs/:installId/events',
    (s) =>
      upload(
        s,
        [
          { type: 'k.stats.installTracked', data: { app: { version: '2.3' } } },
          { type: 'k.push.deviceRegistered', data: { token: `first-${s.next()}`, type: 2 } },
          { type: 'k.fg' },
        ],
        `fresh-${s.next()}`,
      ),
    { what: 'the first upload of a device' },
  ),
  row(
    'post events /v1/app-installs/:installId/events',
    (s) =>
      upload(
        s,
        Array.from({ length: 20 }, (_, n) => ({ type: 'own', data: { n } })),
      ),
    { what: 'twenty events' },
  ),
  row('put events /v1/app-installs/:installId', (s) =>
    device(s, 'PUT', `/events/v1/app-installs/install-${s.some()}`, { app: { version: '2.4' } }),
  ),
  row('put events /v1/app-installs/:installId/location', (s) =>
    device(s, 'PUT', `/events/v1/app-installs/install-${s.some()}/location`, { lat: 52.5, lng: 13.4 }),
  ),
  row('put events /v1/app-installs/:installId/user-id', (s) => {
    const install = s.some()
    return device(s, 'PUT', `/events/v1/app-installs/install-${install}/user-id`, { id: `user-${install}` })
  }),
  row('put push /v1/app-installs/:installId/push-token', (s) =>
    device(s, 'PUT', `/push/v1/app-installs/install-${s.some()}/push-token`, { token: `put-${s.next()}`, type: 2 }),
  ),
  row('delete push /v1/app-installs/:installId/push-token', (s) =>
    device(s, 'DELETE', `/push/v1/app-installs/install-${s.some()}/push-token`),
  ),
  row('post push /v1/app-installs/:installId/opens', (s) =>
    device(s, 'POST', `/push/v1/app-installs/install-${s.some()}/opens`, { id: s.world.big }),
  ),
]

const subscriptions = (area: string, who: string, path: (s: Stage) => string): Row[] =>
  (['post', 'delete', 'put'] as const).map((method) =>
    row(`${method} ${area} /v1/${who}/channels/subscriptions`, (s) =>
      device(s, method.toUpperCase(), `/${area}/v1/${path(s)}/channels/subscriptions`, { uuids: ['news'] }),
    ),
  )

const CHANNELS: Row[] = [
  row('get crm /v1/users/:userId/channels', (s) => device(s, 'GET', `/crm/v1/users/user-${s.some()}/channels`)),
  rowOf(
    'get crm /v1/users/:userId/channels',
    ({ program, first }) => program.inTransaction((tx) => tx.apps.restrain(first.id, { deviceChannels: 'public' })),
    (s) => device(s, 'GET', `/crm/v1/users/user-${s.some()}/channels`),
    {
      what: 'with those of devices',
      after: ({ program, first }) =>
        program.inTransaction((tx) => tx.apps.restrain(first.id, { deviceChannels: 'private' })),
    },
  ),
  ...subscriptions('crm', 'users/:userId', (s) => `users/user-${s.some()}`),
  rowOf(
    'delete crm /v1/users/:userId/channels/subscriptions',
    (s) => device(s, 'POST', '/push/v1/app-installs/install-1200/channels/subscriptions', { uuids: ['news'] }),
    (s) => device(s, 'DELETE', '/crm/v1/users/user-1200/channels/subscriptions', { uuids: ['news'] }),
    { what: 'with an install that chose for itself' },
  ),
  row('get push /v1/app-installs/:installId/channels', (s) =>
    device(s, 'GET', `/push/v1/app-installs/install-${s.some()}/channels`),
  ),
  ...subscriptions('push', 'app-installs/:installId', (s) => `app-installs/install-${s.some()}`),
  row('post push /v1/channels', (s) =>
    device(s, 'POST', '/push/v1/channels', { uuid: `made-${s.next()}`, userIdentifier: `user-${s.some()}` }),
  ),
  row(
    'post push /v1/channels',
    (s) => device(s, 'POST', '/push/v1/channels', { uuid: 'news', installId: `install-${s.some()}` }),
    {
      what: 'one that is there',
    },
  ),
]

const syncedAfter = (s: Stage) => `?after=${new Date(s.clock.now() - 3_600_000).toISOString().slice(0, 19)}Z`
const MESSAGES: Row[] = [
  row('get push /v1/users/:userId/messages', (s) => device(s, 'GET', `/push/v1/users/user-${s.some()}/messages`)),
  row(
    'get push /v1/users/:userId/messages',
    (s) => device(s, 'GET', `/push/v1/users/user-${s.some()}/messages${syncedAfter(s)}`),
    {
      what: 'since an hour',
    },
  ),
]

const PRINT = (number: number) => ({ screen: number })
const encoded = (components: object) => encodeURIComponent(Buffer.from(JSON.stringify(components)).toString('base64'))
const AGENT = {
  'user-agent': 'Mozilla/5.0 (Linux; Android 15; Pixel 8) AppleWebKit/537.36 Chrome/125.0.0.0 Mobile Safari/537.36',
}

async function tap(s: Stage): Promise<number> {
  const number = s.next()
  const body = { webInstallId: `tapped-${number}`, fingerprint: PRINT(number) }
  await device(s, 'POST', `/links/v1/banners/${s.world.bannerUuid}/taps`, body, { headers: AGENT })
  return number
}

const LINKS: Row[] = [
  rowOf('get links /v1/deeplinks/_taps', tap, (s, number) =>
    device(s, 'GET', `/links/v1/deeplinks/_taps?fingerprint=${encoded(PRINT(number))}`, undefined, { headers: AGENT }),
  ),
  row(
    'get links /v1/deeplinks/_taps',
    (s) =>
      device(s, 'GET', `/links/v1/deeplinks/_taps?fingerprint=${encoded({ screen: -s.next() })}`, undefined, {
        expect: 404,
      }),
    { what: 'in vain', most: 500 },
  ),
  row('get links /v1/deeplinks/:slug', (s) => device(s, 'GET', `/links/v1/deeplinks/s${Math.ceil(s.some() / 2)}`)),
  row('get links /v1/banners', (s) =>
    device(s, 'GET', `/links/v1/banners?webInstallId=web-${s.some()}`, undefined, { headers: AGENT }),
  ),
  rowOf('post links /v1/banners/:bannerUuid/taps', async () => undefined, tap),
  row('get push /v1/web/config', (s) => device(s, 'GET', '/push/v1/web/config')),
]

/** The door of Safari looks the app and its gateway up. What comes behind it needs a website with an icon. */
const SAFARI: Row[] = (['v1', 'v2'] as const).flatMap((version) => {
  const base = (s: Stage) => `/push/safari/${s.first.apiKey}/${version}`
  const token = 'AB01'.repeat(16)
  const auth = { headers: { authorization: 'ApplePushNotifications x' }, expect: 409 }
  const registration = `/safari/:apiKey/${version}/devices/:deviceToken/registrations/:websitePushId`
  return [
    row(
      `post push /safari/:apiKey/${version}/pushPackages/:websitePushId`,
      (s) => s.call('POST', `${base(s)}/pushPackages/web.example`, { auth: 'none', expect: 409 }),
      { most: 100 },
    ),
    ...(['post', 'delete'] as const).map((method) =>
      row(`${method} push ${registration}`, (s) =>
        s.call(method.toUpperCase(), `${base(s)}/devices/${token}/registrations/web.example`, {
          auth: 'none',
          ...auth,
        }),
      ),
    ),
    row(`post push /safari/:apiKey/${version}/log`, (s) =>
      s.call('POST', `${base(s)}/log`, { auth: 'none', body: { logs: [] } }),
    ),
  ]
})

const CRASHES: Row[] = [
  row('post events /v1/track/:apiKey/acra/:installId', (s) =>
    device(s, 'POST', `/events/v1/track/${s.first.apiKey}/acra/install-${s.some()}`, {
      ...ACRA,
      REPORT_ID: `acra-${s.next()}`,
    }),
  ),
  row(
    'post events /v1/track/:apiKey/kscrash/:installId',
    (s) => {
      const report = JSON.stringify([{ ...KSCRASH, report: { ...KSCRASH.report, id: `ks-${s.next()}` } }])
      const body = Buffer.from(
        `--x\r\nContent-Disposition: form-data; name="reports"; filename="reports.json"\r\nContent-Type: application/json\r\n\r\n${report}\r\n--x--\r\n`,
      )
      const headers = { 'content-type': 'multipart/form-data; boundary=x' }
      return s.call('POST', `/events/v1/track/${s.first.apiKey}/kscrash/install-${s.some()}`, {
        auth: 'none',
        body,
        headers,
      })
    },
    { most: 100 },
  ),
  row('post events /b2.2/:apiKey/:method', (s) => device(s, 'POST', `/events/b2.2/${s.first.apiKey}/hello.json`)),
]

interface CheckedIn {
  user: string
  id: number
  contact: number
}

async function checkIn(s: Stage): Promise<CheckedIn> {
  const user = `user-${s.some()}`
  const body = { location: 'Bar', deviceKey: 'key', contacts: [{ firstName: 'A', lastName: 'B' }] }
  const { id, contacts } = await device(s, 'POST', `/crm/v1/users/${user}/checkins`, body)
  return { user, id, contact: (contacts as { id: number }[])[0]!.id }
}

const CHECKINS: Row[] = [
  rowOf('post crm /v1/users/:userId/checkins', async () => undefined, checkIn),
  row('get crm /v1/users/:userId/open-checkins', (s) =>
    device(s, 'GET', `/crm/v1/users/user-${s.some()}/open-checkins?deviceKey=key`),
  ),
  rowOf('delete crm /v1/users/:userId/checkins/:checkinId', checkIn, (s, { user, id }) =>
    device(s, 'DELETE', `/crm/v1/users/${user}/checkins/${id}?deviceKey=key`),
  ),
  rowOf('delete crm /v1/users/:userId/checkins/:checkinId/contacts/:contactId', checkIn, (s, { user, id, contact }) =>
    device(s, 'DELETE', `/crm/v1/users/${user}/checkins/${id}/contacts/${contact}?deviceKey=key`),
  ),
]

const visit = (s: Stage, path: string, host?: string, expect = 200) =>
  s.call('GET', path, {
    auth: 'none',
    headers: { ...(host !== undefined && { host }), accept: 'text/html', ...AGENT },
    expect,
  })

const linkHost = async ({ program, first }: Stage) =>
  `${(await program.links.site(first.id)).settings.subdomain}.links.test`

const PUBLIC: Row[] = [
  rowOf('public link', linkHost, (s, host) => visit(s, `/s${Math.ceil(s.some() / 2)}`, host, 302), {
    what: 'at the host of its app',
  }),
  rowOf(
    'public link',
    async (s) => (await linkHost(s)).split('.')[0]!,
    (s, subdomain) => visit(s, `/l/${subdomain}/s${Math.ceil(s.some() / 2)}`, undefined, 302),
    { what: 'by its path' },
  ),
  rowOf('public link', linkHost, (s, host) => visit(s, `/none-${s.next()}`, host, 404), { what: 'that is not there' }),
  rowOf('public association', linkHost, (s, host) => visit(s, '/.well-known/apple-app-site-association', host)),
  rowOf('public picture', newPicture, (s, uid) => visit(s, `/pictures/${uid}.png`)),
  row('public fingerprint', (s) => visit(s, '/fingerprint')),
  row('public renderer', (s) => visit(s, '/iar')),
  row('public healthz', (s) => visit(s, '/healthz')),
  row('public readyz', (s) => visit(s, '/readyz')),
  row('public metrics', (s) => visit(s, '/metrics')),
]

export const DEVICE_ROWS: readonly Row[] = [
  ...PURPOSES,
  ...INSTALLS,
  ...EVENTS,
  ...CHANNELS,
  ...MESSAGES,
  ...LINKS,
  ...SAFARI,
  ...CRASHES,
  ...CHECKINS,
  ...PUBLIC,
]
