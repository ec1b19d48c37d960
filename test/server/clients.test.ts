import { once } from 'node:events'
import { type IncomingHttpHeaders, request } from 'node:http'
import { text as readText } from 'node:stream/consumers'
import { expect } from 'chai'
import { createBanner, newBanner } from '../../src/domain/links/banners/schema.ts'
import type { NewLink } from '../../src/domain/links/types.ts'
import { parseJson } from '../../src/platform/values/parse.ts'
import { broadcast, withAndroids } from '../support/delivery.ts'
import { basic, openTestServer, type TestServer } from '../support/http.ts'
import { newLink } from '../support/links.ts'
import { onSqliteDaily } from '../support/program.ts'
import { uploadedEvents } from '../support/uploaded.ts'

/**
 * Requests byte for byte as the public client SDKs write them, and what they must get back. Where a row comes from is said with
 * the SDK and its file; the facts are in our words. Base addresses are one origin, as an operator sets them.
 */

type Json = Record<string, unknown>

interface Wire {
  method: string
  path: string
  headers?: Record<string, string>
  /** An object is sent as JSON; text as it is. */
  body?: unknown
  /** Without Content-Length, as Dart and upload streams send. */
  chunked?: true
}

interface Got {
  status: number
  headers: IncomingHttpHeaders
  text: string
}

const JSON_UTF8 = 'application/json; charset=utf-8'
/** Headers that the HTTP library of each family adds by itself. */
const OKHTTP = { 'User-Agent': 'okhttp/4.9.3', 'Accept-Encoding': 'gzip', Connection: 'Keep-Alive' }
const CFNETWORK = {
  'User-Agent': 'Shop/42 CFNetwork/1410.0.3 Darwin/22.6.0',
  Accept: 'application/json',
  'Accept-Language': 'en-GB,en;q=0.9',
  'Accept-Encoding': 'gzip, deflate, br',
  Connection: 'keep-alive',
}
const CHROME =
  'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/120.0.0.0 Safari/537.36'
const BROWSER = {
  'User-Agent': CHROME,
  Origin: 'https://shop.example',
  Accept: 'application/json',
  'Sec-Fetch-Mode': 'cors',
}
/** Cordova's JavaScript half runs in a page without an origin. */
const CORDOVA = { ...BROWSER, Origin: 'null', 'Content-Type': JSON_UTF8 }
/** React Native's fetch goes through the platform's library. */
const REACT = { ...OKHTTP, Accept: 'application/json', 'Content-Type': 'application/json' }
const DART = {
  'User-Agent': 'Dart/2.19 (dart:io)',
  'Accept-Encoding': 'gzip',
  Accept: 'application/json',
  'Content-Type': JSON_UTF8,
}
/** Xamarin's JavaScript-free half: .NET, which asks before it sends a body. */
const DOTNET = { Accept: 'application/json', 'Content-Type': JSON_UTF8, Expect: '100-continue' }

const NOW = Date.UTC(2026, 2, 1, 12)
/** A UUID of its own for each event. */
const uuid = (i: number) => `7f3c1d52-0000-4000-8000-${String(i).padStart(12, '0')}`
const event = (i: number, type: string, more: Json = {}): Json => ({
  type,
  uuid: uuid(i),
  timestamp: NOW - 1000 + i,
  ...more,
})

const ANDROID_ID = '4be0643f-1d98-573b-97cd-ca98a65347dd'
/** Swift keeps what NSUUID writes. */
const SWIFT_ID = 'E621E1F8-C36C-495A-93FC-0C247A3E6E5F'
/** Objective-C puts it in lower case (Kumulos.m). */
const OBJC_ID = 'f1c3a7d2-8a4b-4e52-9d0f-2b6e1c7a9f10'
const WEB_ID = '9b2d7c4e-3f10-4a65-8c2b-5d6e7f809102'
const SUBSCRIPTION = {
  endpoint: 'https://fcm.googleapis.com/fcm/send/dummy:APA91b',
  expirationTime: null,
  keys: {
    p256dh: Buffer.from([4, ...Array.from({ length: 64 }, (_, i) => i)]).toString('base64url'),
    auth: Buffer.alloc(16, 7).toString('base64url'),
  },
}

const app = { bundle: 'com.example.shop', version: '3.1.4', target: 2 }
const ANDROID_DETAILS = {
  app,
  sdk: { id: 2, version: '12.2.0' },
  runtime: { id: 1, version: '13' },
  os: { id: 3, version: '13' },
  device: { name: 'Pixel 5', tz: 'Europe/London', isSimulator: false, locale: 'en-GB' },
}
const IOS_DETAILS = {
  app,
  sdk: { id: 4, version: '9.2.4' },
  runtime: { id: 1, version: '16.6' },
  os: { id: 1, version: '16.6' },
  device: { name: 'iPhone13,2', tz: 'Europe/London', isSimulator: false, locale: 'en-GB' },
  ios: { hasGroup: true, push: { scheduled: true, timeSensitive: false } },
}

onSqliteDaily('what the client SDKs send', (kind) => {
  let server: TestServer
  before(async () => {
    server = await openTestServer({ kind, settings: { 'links.domain': 'lnk.click' } })
  })
  after(() => server.close())

  /** The server with an app of its own for each test. */
  let test: TestServer
  beforeEach(async () => {
    test = { ...server, first: await server.program.inTransaction((tx) => tx.apps.create({ name: 'Shop' })) }
  })

  /** The path goes out as it is written: no client library of ours may put it right. */
  async function send({ method, path, headers = {}, body, chunked }: Wire): Promise<Got> {
    const bytes = body === undefined ? undefined : Buffer.from(typeof body === 'string' ? body : JSON.stringify(body))
    const { hostname, port } = new URL(test.address)
    const call = request({
      hostname,
      port,
      method,
      path,
      agent: false,
      headers: {
        ...(method !== 'OPTIONS' && { Authorization: basic(test.first.apiKey, test.first.secretKey) }),
        ...headers,
        ...(bytes && (chunked ? { 'Transfer-Encoding': 'chunked' } : { 'Content-Length': bytes.length })),
      },
    })
    const answered = once(call, 'response')
    if (headers.Expect) await once(call, 'continue')
    if (bytes && chunked) for (let at = 0; at < bytes.length; at += 50) call.write(bytes.subarray(at, at + 50))
    else if (bytes) call.write(bytes)
    call.end()
    const [response] = (await answered) as [import('node:http').IncomingMessage]
    return { status: response.statusCode!, headers: response.headers, text: await readText(response) }
  }

  const asServer = () => basic(test.first.apiKey, test.first.serverKey)
  const json = ({ text }: Got): unknown => (text === '' ? undefined : JSON.parse(text))
  const install = (id: string) => test.program.crm.showInstall(test.first.id, id)
  const stored = async () => (await uploadedEvents(test.program, test.first.id)).map(({ type }) => type)

  describe('events', () => {
    const rows: { who: string; id: string; wire: Omit<Wire, 'method' | 'path'>; expected: Json }[] = [
      {
        // AnalyticsUploadHelper.java, AnalyticsContract.java: no Accept; no `data` without properties; no `userId` in rows of an
        // old database; the position has the time of its fix.
        who: 'Android',
        id: ANDROID_ID,
        wire: {
          headers: { ...OKHTTP, 'Content-Type': JSON_UTF8 },
          body: [
            event(1, 'k.fg'),
            event(2, 'k.stats.installTracked', { data: ANDROID_DETAILS, userId: ANDROID_ID }),
            event(3, 'k.push.deviceRegistered', {
              data: { token: 'dTk:APA91bE_x-1', type: 2, package: app.bundle, areNotificationsEnabled: true },
              userId: ANDROID_ID,
            }),
            event(4, 'k.stats.userAssociated', { data: { id: 'anna', attributes: { age: 31 } }, userId: 'anna' }),
            event(5, 'k.engage.locationUpdated', {
              data: { lat: 51.5, lng: -0.1 },
              userId: 'anna',
              timestamp: NOW - 90_000,
            }),
          ],
        },
        expected: {
          os: 'Android',
          osVersion: '13',
          sdkType: 'android',
          deviceModel: 'Pixel 5',
          userIdentifier: 'anna',
          subscribed: true,
        },
      },
      {
        // Kumulos.java of 2018: the type of the token is a text.
        who: 'Android of 2018',
        id: 'old-android',
        wire: {
          headers: { ...OKHTTP, 'Content-Type': JSON_UTF8 },
          body: [event(1, 'k.push.deviceRegistered', { data: { token: 'old:token', type: '2' } })],
        },
        expected: { platform: 2, subscribed: true, userIdentifier: 'old-android' },
      },
      {
        // Sources/Shared/AnalyticsHelper.swift: what is missing is null.
        who: 'Swift',
        id: SWIFT_ID,
        wire: {
          headers: { ...CFNETWORK, 'Content-Type': 'application/json' },
          body: [
            event(1, 'k.fg', { data: null, userId: SWIFT_ID }),
            event(2, 'k.stats.installTracked', { data: IOS_DETAILS, userId: SWIFT_ID }),
            event(3, 'k.push.deviceRegistered', {
              data: { token: 'ab'.repeat(32), type: 1, iosTokenType: 2, bundleId: app.bundle },
              userId: SWIFT_ID,
            }),
            event(4, 'k.stats.userAssociated', { data: { id: 'anna' }, userId: 'anna' }),
            event(5, 'k.stats.userAssociationCleared', { data: { oldUserIdentifier: 'anna' }, userId: 'anna' }),
          ],
        },
        expected: {
          os: 'iOS',
          sdkType: 'swift',
          deviceName: 'iPhone 12',
          platform: 1,
          subscribed: true,
          userIdentifier: SWIFT_ID,
        },
      },
      {
        // Kumulos+Push.m writes the token in capitals; NSNumber may bring a fraction.
        who: 'Objective-C',
        id: OBJC_ID,
        wire: {
          headers: { ...CFNETWORK, 'Content-Type': 'application/json' },
          chunked: true,
          body: [
            event(1, 'k.stats.installTracked', {
              data: { ...IOS_DETAILS, sdk: { id: 1, version: '6.0.0' } },
              timestamp: NOW - 0.25,
            }),
            event(2, 'k.push.deviceRegistered', {
              data: { token: 'AB'.repeat(32), type: 1, iosTokenType: 1, bundleId: app.bundle },
            }),
            event(3, 'k.stats.userAssociationCleared', { data: { oldUserIdentifier: null }, userId: OBJC_ID }),
          ],
        },
        expected: { os: 'iOS', sdkType: 'objective-c', platform: 1, subscribed: true, userIdentifier: OBJC_ID },
      },
      {
        // src/core/index.ts: one event a call; the system is to be seen in the user agent; the anonymous user is the install.
        who: 'web',
        id: WEB_ID,
        wire: {
          headers: { ...BROWSER, 'Content-Type': 'application/json' },
          body: [
            event(1, 'k.stats.installTracked', {
              data: {
                app: { bundle: 'shop.example:8443', version: '0.0.0', target: 2 },
                sdk: { id: 10, version: '1.12.0' },
                runtime: { id: 8, version: CHROME },
                os: { id: 0, version: '0.0.0' },
                device: { name: CHROME, tz: 'Europe/London', isSimulator: false, locale: 'en-GB' },
              },
              userId: WEB_ID,
            }),
          ],
        },
        expected: {
          os: 'Windows',
          sdkType: 'web',
          deviceName: 'Chrome on Windows',
          userIdentifier: WEB_ID,
          subscribed: false,
        },
      },
      {
        who: 'web, subscribing',
        id: WEB_ID,
        wire: {
          headers: { ...BROWSER, 'Content-Type': 'application/json' },
          body: [event(1, 'k.push.deviceRegistered', { data: { type: 3, token: SUBSCRIPTION }, userId: WEB_ID })],
        },
        expected: { platform: 3, subscribed: true },
      },
      {
        // The successor SDK says 104 (src/core/index.ts).
        who: 'the successor of web',
        id: WEB_ID,
        wire: {
          headers: { ...BROWSER, 'Content-Type': 'application/json' },
          body: [
            event(1, 'k.stats.installTracked', {
              data: { sdk: { id: 104, version: '2.0.17' }, os: { id: 0 }, device: { name: CHROME, tz: null } },
              userId: WEB_ID,
            }),
          ],
        },
        expected: { sdkType: 'web', timezone: null },
      },
      {
        // The native half sends; the wrapper only names itself (KumulosReactNative, setSdkInfo).
        who: 'React Native',
        id: 'react',
        wire: {
          headers: { ...OKHTTP, 'Content-Type': JSON_UTF8 },
          body: [
            event(1, 'k.stats.installTracked', {
              data: { ...ANDROID_DETAILS, sdk: { id: 9, version: '8.0.0' }, runtime: { id: 7, version: '0.64.0' } },
            }),
            event(2, 'custom', { data: {} }),
          ],
        },
        expected: { os: 'Android', sdkType: 'react-native' },
      },
      {
        // KumulosSDKPlugin: the same with 6 and 3; JavaScript may give a number for the user.
        who: 'Cordova',
        id: 'cordova',
        wire: {
          headers: { ...CFNETWORK, 'Content-Type': 'application/json' },
          body: [
            event(1, 'k.stats.installTracked', {
              data: { ...IOS_DETAILS, sdk: { id: 6, version: '6.0.0' }, runtime: { id: 3, version: '6.0.0' } },
            }),
            event(2, 'k.stats.userAssociated', { data: { id: 12, attributes: null }, userId: '12' }),
            event(3, 'k.crash.loggedException', { data: { format: 'raven', report: { uncaught: true } } }),
          ],
        },
        expected: { os: 'iOS', sdkType: 'cordova', userIdentifier: '12' },
      },
    ]
    for (const { who, id, wire, expected } of rows) {
      it(`of ${who} are taken whole, and again after a lost answer`, async () => {
        for (let i = 0; i < 2; i++) {
          const got = await send({ method: 'POST', path: `/v1/app-installs/${id}/events`, ...wire })
          expect([got.status, json(got)]).to.deep.equal([202, {}])
          expect(got.headers['content-type']).to.match(/^application\/json/)
        }
        expect(await install(id)).to.include(expected)
        expect(await stored()).to.deep.equal((wire.body as Json[]).map(({ type }) => type))
      })
    }

    it('that tell of an open count for every generation of apps', async () => {
      await withAndroids(test, 6)
      const id = await broadcast(test)
      const post = (i: number, path: string, body: unknown, headers: Record<string, string>) =>
        send({ method: 'POST', path: `/v1/app-installs/install-${i}/${path}`, body, headers })
      const statuses = [
        await post(0, 'events', [event(1, 'k.message.opened', { data: { type: 1, id } })], {
          ...OKHTTP,
          'Content-Type': JSON_UTF8,
        }),
        // Kumulos.java, Kumulos+Push.swift and React Native before in-app messages: `custom.i`, which is a text.
        await post(1, 'events', [event(2, 'k.push.opened', { data: { id: String(id) } })], {
          ...OKHTTP,
          'Content-Type': JSON_UTF8,
        }),
        await post(2, 'events', [event(3, 'k.push.opened', { data: { id } })], REACT),
        // KumulosPush.cs
        await post(3, 'opens', { id: String(id) }, DOTNET),
        // Safari: only the number in the address of the page, no delivery before.
        await post(4, 'events', [event(4, 'k.message.opened', { data: { type: 1, id } })], BROWSER),
      ].map(({ status }) => status)
      expect(statuses).to.deep.equal([202, 202, 202, 204, 202])
      const opens = await test.call('GET', `/messages/notifications/${id}/install-opens`, { auth: asServer() })
      const who = (opens.body as { installId: string }[]).map(({ installId }) => installId).toSorted()
      expect(who).to.deep.equal([0, 1, 2, 3, 4].map((i) => `install-${i}`))
    })
  })

  it('older SDKs tell through calls of their own, and only look whether the status is below 300', async () => {
    const calls: Wire[] = [
      // React Native's stats.js, and Objective-C on the Mac.
      {
        method: 'PUT',
        path: `/v1/app-installs/${OBJC_ID}`,
        headers: REACT,
        body: { ...IOS_DETAILS, sdk: { id: 9, version: '1.0.0' } },
      },
      { method: 'PUT', path: `/v1/app-installs/${OBJC_ID}/location`, headers: REACT, body: { lat: 51.5, lng: -0.1 } },
      { method: 'PUT', path: `/v1/app-installs/${OBJC_ID}/user-id`, headers: REACT, body: { id: 'anna' } },
      // Xamarin's Push.cs: the kind of token as a word.
      {
        method: 'PUT',
        path: `/v1/app-installs/${OBJC_ID}/push-token`,
        headers: DOTNET,
        body: { token: 'cd'.repeat(32), type: 1, iosTokenType: 'Production' },
      },
    ]
    for (const wire of calls) expect((await send(wire)).status, wire.path).to.equal(204)
    expect(await install(OBJC_ID)).to.include({ sdkType: 'react-native', userIdentifier: 'anna', subscribed: true })
    // React Native's index.js: a content type and no content.
    const removed = await send({ method: 'DELETE', path: `/v1/app-installs/${OBJC_ID}/push-token`, headers: REACT })
    expect([removed.status, removed.text]).to.deep.equal([204, ''])
    expect(await install(OBJC_ID)).to.include({ subscribed: false })
  })

  it('Swift SDKs of 2016 to 2018 tell by forms', async () => {
    // Kumulos+Stats.swift, Kumulos+Push.swift, KumulosPushChannels.swift over Alamofire's default encoding: flags are 1 and 0.
    const headers = { ...CFNETWORK, Accept: '*/*', 'Content-Type': 'application/x-www-form-urlencoded; charset=utf-8' }
    const form = (pairs: Record<string, string | number>) =>
      Object.entries(pairs)
        .map((pair) => pair.map(encodeURIComponent).join('='))
        .join('&')
    const details = {
      'app[bundle]': 'com.example.shop',
      'app[target]': 2,
      'app[version]': '1.0',
      'device[isSimulator]': 0,
      'device[locale]': 'en-GB',
      'device[name]': 'iPhone8,1',
      'device[tz]': 'Europe/London',
      'os[id]': 1,
      'os[version]': '10.3',
      'runtime[id]': 1,
      'sdk[id]': 1,
      'sdk[version]': '1.4.0',
    }
    const path = `/v1/app-installs/${SWIFT_ID}`
    await test.call('POST', '/messages/channels', { auth: asServer(), body: { uuid: 'a b', name: 'A' } })
    const calls: Wire[] = [
      { method: 'PUT', path, headers, body: form(details) },
      { method: 'PUT', path: `${path}/location`, headers, body: form({ lat: 51.5, lng: -0.1 }) },
      { method: 'POST', path: `${path}/opens`, headers, body: form({ id: '12' }) },
      { method: 'POST', path: `${path}/channels/subscriptions`, headers, body: 'uuids%5B%5D=a%20b' },
    ]
    for (const wire of calls) expect((await send(wire)).status, wire.path).to.equal(204)
    expect(await install(SWIFT_ID)).to.include({
      os: 'iOS',
      osVersion: '10.3',
      deviceName: 'iPhone 6s',
      timezone: 'Europe/London',
    })
    const list = await send({ method: 'GET', path: `${path}/channels`, headers: CFNETWORK })
    expect(json(list)).to.deep.equal([{ uuid: 'a b', name: 'A', subscribed: true, meta: null }])
  })

  describe('channels', () => {
    /** A user id as each encodes it: Uri.encode of Android leaves !*'() alone, encodeURIComponent too, Apple's allowed set does not. */
    const USER = "a/b@c+d é!'()"
    const ANDROID_USER = "a%2Fb%40c%2Bd%20%C3%A9!'()"
    const APPLE_USER = 'a%2Fb%40c%2Bd%20%C3%A9%21%27%28%29'
    const install1 = `/v1/app-installs/${WEB_ID}/channels`
    const rows: {
      who: string
      base: string
      headers: Json
      none: unknown
      subject: Json
      spec: Json
      chunked?: true
    }[] = [
      {
        // PushSubscriptionManager.java; JSONObject.put drops a key with null.
        who: 'Android',
        base: `/v1/users/${ANDROID_USER}/channels`,
        headers: { ...OKHTTP, Accept: 'application/json', 'Content-Type': JSON_UTF8 },
        none: { uuids: [] },
        subject: { userIdentifier: USER },
        spec: { showInPortal: false },
      },
      {
        // KumulosPushChannels.swift: clearing sends no list at all.
        who: 'Swift',
        base: `/v1/users/${APPLE_USER}/channels`,
        headers: { ...CFNETWORK, 'Content-Type': 'application/json' },
        none: {},
        subject: { userIdentifier: USER },
        spec: { showInPortal: false },
      },
      {
        // KumulosPushSubscriptionManager.m
        who: 'Objective-C',
        base: `/v1/app-installs/${WEB_ID}/channels`,
        headers: { ...CFNETWORK, 'Content-Type': 'application/json' },
        none: { uuids: [] },
        subject: { installId: WEB_ID },
        spec: { showInPortal: 0 },
      },
      {
        // src/core/channels.ts
        who: 'web',
        base: install1,
        headers: { ...BROWSER, 'Content-Type': 'application/json' },
        none: { uuids: [] },
        subject: { installId: WEB_ID },
        spec: { showInPortal: false, meta: null },
      },
      {
        // src/push-channels.js
        who: 'React Native',
        base: `/v1/users/${ANDROID_USER}/channels`,
        headers: REACT,
        none: { uuids: [] },
        subject: { userIdentifier: USER },
        spec: { name: null, showInPortal: false, meta: null },
      },
      {
        // src/core/push.ts
        who: 'Cordova',
        base: install1,
        headers: CORDOVA,
        none: { uuids: [] },
        subject: { installId: WEB_ID },
        spec: { showInPortal: false },
      },
      {
        // lib/push.dart: only 200 is a list, only 201 a new channel.
        who: 'Flutter',
        base: `/v1/users/${ANDROID_USER}/channels`,
        headers: DART,
        none: { uuids: [] },
        subject: { userIdentifier: USER },
        spec: { name: null, showInPortal: false, meta: null },
        chunked: true,
      },
      {
        // PushChannels.cs
        who: 'Xamarin',
        base: install1,
        headers: DOTNET,
        none: { uuids: [] },
        subject: { installId: WEB_ID },
        spec: { name: null, showInPortal: false },
      },
    ]
    for (const { who, base, headers, none, subject, spec, chunked } of rows) {
      it(`are listed, made, subscribed to and cleared by ${who}`, async () => {
        await test.call('POST', '/messages/channels', { auth: asServer(), body: { uuid: 'news', name: 'News' } })
        const { Expect: _, 'Content-Type': type, ...asking } = headers as Record<string, string>
        // Cordova and the web SDK say what they send also when they send nothing.
        const getHeaders = who === 'Cordova' || who === 'web' ? { ...asking, 'Content-Type': type! } : asking
        const list = async () => {
          const got = await send({ method: 'GET', path: base, headers: getHeaders })
          expect(got.status).to.equal(200)
          expect(got.headers['content-type']).to.match(/^application\/json/)
          return json(got)
        }
        const call = (method: string, path: string, body: unknown) =>
          send({ method, path, headers: headers as Record<string, string>, body, ...(chunked && { chunked }) })
        const news = { uuid: 'news', name: 'News', subscribed: false, meta: null }
        const own = { uuid: 'own', name: null, subscribed: true, meta: null }
        expect(await list()).to.deep.equal([news])
        // At every start of the app: the second time is no failure.
        for (let i = 0; i < 2; i++) {
          const made = await call('POST', '/v1/channels', { uuid: 'own', ...spec, ...subject })
          expect([made.status, json(made)]).to.deep.equal([201, own])
        }
        expect((await call('POST', `${base}/subscriptions`, { uuids: ['news'] })).status).to.equal(204)
        expect(await list()).to.deep.equal([{ ...news, subscribed: true }, own])
        expect((await call('DELETE', `${base}/subscriptions`, { uuids: ['own'] })).status).to.equal(204)
        expect(await list()).to.deep.equal([{ ...news, subscribed: true }])
        expect((await call('PUT', `${base}/subscriptions`, none)).status).to.equal(204)
        expect(await list()).to.deep.equal([news])
        // React Native and Flutter say that some were not found, Android for all but DELETE.
        expect((await call('POST', `${base}/subscriptions`, { uuids: ['nowhere'] })).status).to.equal(404)
      })
    }

    it('belong to the same user however the client encodes the name', async () => {
      await test.call('POST', '/messages/channels', { auth: asServer(), body: { uuid: 'news' } })
      for (const name of [ANDROID_USER, APPLE_USER]) {
        const got = await send({
          method: 'PUT',
          path: `/v1/users/${name}/channels/subscriptions`,
          headers: { ...OKHTTP, 'Content-Type': JSON_UTF8 },
          body: { uuids: ['news'] },
        })
        expect(got.status).to.equal(204)
      }
      expect((await test.program.crm.lookupUsers(test.first.id, [USER])).size).to.equal(1)
    })
  })

  it('browsers and Cordova pages ask first, without keys, before every call', async () => {
    const asked: [string, string, string][] = [
      ['POST', `/v1/app-installs/${WEB_ID}/events`, 'https://shop.example'],
      ['GET', `/v1/app-installs/${WEB_ID}/channels`, 'null'],
      ['DELETE', `/v1/app-installs/${WEB_ID}/channels/subscriptions`, 'https://shop.example'],
      ['PUT', `/v1/app-installs/${WEB_ID}/channels/subscriptions`, 'null'],
      ['POST', '/v1/channels', 'https://shop.example'],
      ['GET', `/v1/banners?webInstallId=${WEB_ID}`, 'https://shop.example'],
      ['POST', '/v1/banners/x/taps', 'https://shop.example'],
    ]
    for (const [method, path, Origin] of asked) {
      const got = await send({
        method: 'OPTIONS',
        path,
        headers: {
          'User-Agent': CHROME,
          Origin,
          'Access-Control-Request-Method': method,
          'Access-Control-Request-Headers': 'authorization,content-type',
        },
      })
      expect(got.status, path).to.equal(204)
      expect(got.headers['access-control-allow-origin']).to.equal('*')
      expect(got.headers['access-control-allow-headers']).to.include('authorization').and.include('content-type')
      expect(got.headers['access-control-allow-methods']!.split(', ')).to.include(method)
    }
  })

  describe('links', () => {
    const make = async (given: Partial<NewLink>) =>
      (await test.program.inTransaction((tx) => tx.links.create(test.first.id, [newLink(given)])))[0]!

    // DeferredDeepLinkHelper.java sends a Content-Type with GET, and encodes java.net.URL's path, which is not decoded.
    const ANDROID = { ...OKHTTP, Accept: 'application/json', 'Content-Type': 'application/json' }
    // Kumulos+DeepLinking.swift: the misspelling is theirs.
    const SWIFT = { ...CFNETWORK, Accept: 'appliction/json', 'Content-Type': 'application/json' }
    const looked: [who: string, path: string, headers: Record<string, string>][] = [
      ['Android', 'spring%2Fa~b?wasDeferred=0', ANDROID],
      ['Android, of a link that was written percent-encoded', 'spring%252Fa%257Eb?wasDeferred=1&utm=x%20y', ANDROID],
      ['Android of 2020', `spring%2Fa~b?wasDeferred=0&webInstallId=${WEB_ID}`, ANDROID],
      ['Swift', 'spring%2Fa~b?wasDeferred=1&utm=x+y', SWIFT],
      ['Objective-C', 'spring%2Fa~b?wasDeferred=0', { ...CFNETWORK, 'Content-Type': 'application/json' }],
    ]
    for (const [who, path, headers] of looked) {
      it(`are found by ${who}`, async () => {
        const { id } = await make({ slug: 'spring/a~b', linkData: { screen: 'sale' }, content: { title: 'Sale' } })
        const got = await send({ method: 'GET', path: `/v1/deeplinks/${path}`, headers })
        expect([got.status, json(got)]).to.deep.equal([
          200,
          { linkData: { screen: 'sale' }, content: { title: 'Sale' } },
        ])
        expect(await test.program.links.get(test.first.id, id)).to.include({ lookups: 1 })
      })
    }

    it('that are not there, over or used up are told by their status', async () => {
      await make({ slug: 'old', expiresAt: NOW })
      await make({ slug: 'once', lookupLimit: 1 })
      const look = async (slug: string) =>
        (await send({ method: 'GET', path: `/v1/deeplinks/${slug}?wasDeferred=0`, headers: SWIFT })).status
      const statuses = [await look('nothing'), await look('old'), await look('once'), await look('once')]
      expect(statuses).to.deep.equal([404, 410, 200, 429])
      for (const path of ['%25', '%25E0%25A4', '%2520', '_taps']) expect(await look(path), path).to.equal(404)
    })

    const COMPONENTS = { platform: 'Android', osMajor: '13', screen: '393x851', mark: '~~~???>>>' }
    const base64 = Buffer.from(JSON.stringify(COMPONENTS)).toString('base64')
    const tapped: [who: string, query: string, headers: Record<string, string>][] = [
      ['Android, which does not encode the base64', base64, ANDROID],
      ['Objective-C, which does', encodeURIComponent(base64), { ...ANDROID, 'User-Agent': 'Shop/1' }],
    ]
    for (const [who, query, headers] of tapped) {
      it(`of a tap on a banner are found by ${who}`, async () => {
        await test.program.inTransaction((tx) =>
          tx.links.configure(test.first.id, { androidPackage: 'com.example.shop', fingerprintWindow: 3600 }),
        )
        const link = await make({ slug: 'banner', linkData: { b: 1 } })
        const labels = { heading: 'H', body: 'B', acceptAction: 'A', declineAction: 'D' }
        await test.program.inTransaction((tx) =>
          tx.banners.create(test.first.id, newBanner(parseJson(createBanner, { link: 'banner', labels }))),
        )
        const web = { ...BROWSER, 'Content-Type': 'application/json' }
        const list = await send({ method: 'GET', path: `/v1/banners?webInstallId=${WEB_ID}`, headers: web })
        const [shown] = json(list) as { uuid: string; type: string; uiActions: { accept: Json; decline: Json } }[]
        // config.ts and manager.tsx read these without a look whether they are there.
        expect(shown).to.include({ type: 'ddl_banner' })
        expect(shown).to.have.all.keys('uuid', 'type', 'trigger', 'position', 'labels', 'colors', 'uiActions')
        const { accept, decline } = shown!.uiActions
        expect([accept.type, decline.type]).to.deep.equal(['openStore', 'decline'])
        expect(accept).to.have.all.keys('type', 'url', 'deepLinkUrl')
        const tap = await send({
          method: 'POST',
          path: `/v1/banners/${shown!.uuid}/taps`,
          headers: {
            ...web,
            'User-Agent': 'Mozilla/5.0 (Linux; Android 10; K) AppleWebKit/537.36 Chrome/120.0.0.0 Mobile',
          },
          body: { webInstallId: WEB_ID, fingerprint: COMPONENTS },
        })
        expect(tap.status).to.equal(204)
        const got = await send({ method: 'GET', path: `/v1/deeplinks/_taps?fingerprint=${query}`, headers })
        const linkUrl = test.program.links.urlOf(await test.program.links.site(test.first.id), link.slug)
        expect([got.status, json(got)]).to.deep.equal([200, { linkUrl, linkData: { b: 1 }, content: {} }])
      })
    }
  })
})
