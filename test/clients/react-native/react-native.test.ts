import { expect } from 'chai'
import { expo, firebase } from '../../../clients/react-native/src/index.ts'
import { buildApnsPayload } from '../../../src/domain/gateways/apns/payload.ts'
import { buildFcmMessage } from '../../../src/domain/gateways/fcm/payload.ts'
import type { PushMessage } from '../../../src/domain/gateways/gateway.ts'
import { deliverDue, fanOut, scriptedSender, withAndroids } from '../../support/delivery.ts'
import { addGateway } from '../../support/gateways.ts'
import { openTestServer, type TestServer } from '../../support/http.ts'
import { appWorld } from './app-world.ts'
import { asyncStorage, expoPhone, firebasePhone, reactNative } from './doubles.ts'

describe('the client for React Native', () => {
  let test: TestServer
  const { open, end, seen, stored, hear } = appWorld(() => test)
  before(async () => {
    test = await openTestServer()
  })
  beforeEach(async () => {
    await test.startOver()
    test.clock.set(Date.now())
  })
  afterEach(() => end())
  after(() => test.close())

  /** Sends to everybody; what the gateway got, and the report. */
  const send = async (content: object = {}) => {
    const body = { target: { broadcast: true }, content: { title: 'Fresh bread', message: 'Until six.', ...content } }
    const answer = await test.call('POST', '/messages/v2/notifications', { body })
    const { id } = (answer.body as { notification: { id: number } }).notification
    await fanOut(test)
    let message: PushMessage | undefined
    const { sender, sent } = scriptedSender((_token, given) => {
      message = given
      return { kind: 'accepted' }
    })
    await deliverDue(test, sender)
    const opens = async () =>
      ((await test.call('GET', `/messages/notifications/${id}/install-opens`)).body as object[]).length
    return { id, tokens: sent, message: message!, opens }
  }
  const dataOf = (message: PushMessage) => buildFcmMessage(message, test.clock.now()).data
  it('says what the install is', async () => {
    const app = await open({ app: { bundle: 'com.example.bakery', version: '2.3.1', isDebug: true } })
    expect(await seen(app)).to.include({ os: 'Android', osVersion: '14', deviceModel: 'Pixel 8', appVersion: '2.3.1' })
    expect(await seen(app)).to.include({ sdkType: 'react-native', sdkVersion: '0.1.0', buildKind: 'debug' })
    expect((await seen(app)).timezone).to.equal(new Intl.DateTimeFormat().resolvedOptions().timeZone)
  })

  it('on Android with Expo: token, push, notification, opening', async () => {
    await withAndroids(test, 0)
    const { phone, module } = expoPhone('android')
    const app = await open({ push: expo(module, { channel: 'news' }) })
    expect(await seen(app)).to.include({ subscribedToPushNotifications: true })
    const { id, tokens, message, opens } = await send({
      url: 'https://bakery.example/bread',
      data: { screen: 'offers' },
    })
    expect(tokens).to.deep.equal(['token-of-fcm'])

    const received = hear(app, 'push.received')
    await phone.receive(dataOf(message))
    await app.flush()
    expect(received).to.deep.include({
      id,
      title: 'Fresh bread',
      message: 'Until six.',
      url: 'https://bakery.example/bread',
      data: { screen: 'offers' },
      buttons: [],
    })
    const [identifier, shown] = [...phone.tray][0]!
    expect(shown.request.content).to.include({ title: 'Fresh bread', body: 'Until six.' })
    expect(shown.request.trigger).to.deep.equal({ channelId: 'news' })

    const opened = hear(app, 'push.opened')
    phone.tap(identifier)
    await app.flush()
    expect(opened.map((push) => push.url)).to.deep.equal(['https://bakery.example/bread'])
    expect(await opens()).to.equal(1)
    expect(await stored('k.message.delivered')).to.have.length(1)
  })

  it('on Android in the background: the notification has its text, and starts the app', async () => {
    await withAndroids(test, 0)
    const { phone, module } = expoPhone('android')
    const storage = asyncStorage()
    const app = await open({ push: expo(module), storage })
    const { message, opens } = await send()
    await app.push.inBackground(phone.receiveInBackground(dataOf(message), 'fcm-7'))
    expect([...phone.tray.keys()]).to.deep.equal(['fcm-7'])
    expect(phone.tray.get('fcm-7')!.request.content.body).to.equal('Until six.')
    await app.stop()
    phone.tap('fcm-7')

    test.clock.set(Date.now())
    const again = await open({ push: expo(module), storage })
    // Each start hands the token over: the server may have been set back to a time before it had it.
    expect(await stored('k.push.deviceRegistered')).to.have.length(2)
    expect(hear(again, 'push.opened').map(({ title }) => title)).to.deep.equal([''])
    await again.stop()
    const third = await open({ push: expo(module), storage })
    expect(hear(third, 'push.opened')).to.deep.equal([])
    expect(await opens()).to.equal(1)
    expect(await stored('k.message.opened')).to.have.length(1)
  })

  it('on iOS with Expo: asked first, in the sandbox for debug builds, shown by the system', async () => {
    const { phone, module } = expoPhone('ios')
    const native = reactNative('ios').native
    await addGateway(test, 'ios')
    const app = await open({
      native,
      push: expo(module),
      app: { bundle: 'com.example.bakery', version: '1', isDebug: true },
    })
    expect(await app.push.state()).to.deep.include({ state: 'askable' })
    expect(await stored('k.push.deviceRegistered')).to.deep.equal([])
    expect(await app.push.ask()).to.deep.equal({ state: 'subscribed' })
    const [registered] = await stored('k.push.deviceRegistered')
    expect(registered!.data).to.deep.include({
      type: 1,
      token: 'abcdef0123456789',
      iosTokenType: 2,
      bundleId: 'com.example.bakery',
    })

    const { message, opens } = await send({ url: 'https://bakery.example' })
    const payload = buildApnsPayload(message.content)
    await phone.receive(payload, 'apns-1')
    await app.flush()
    expect([...phone.tray.keys()]).to.deep.equal(['apns-1'])
    await app.push.inBackground(phone.receiveInBackground({ ...payload }, 'apns-2'))
    expect(phone.tray.get('apns-2')!.request.content.title).to.equal('Fresh bread')
    expect(await stored('k.message.delivered')).to.have.length(2)
    await app.push.inBackground({ actionIdentifier: 'later', notification: phone.tray.get('apns-2') })
    const opened = hear(app, 'push.opened')
    phone.tap('apns-1', 'later')
    await app.flush()
    expect(opened[0]).to.deep.include({
      title: 'Fresh bread',
      message: 'Until six.',
      url: 'https://bakery.example',
      action: 'later',
    })
    expect(await opens()).to.equal(1)
  })

  it('with React Native Firebase: the token of the system, and messages of Google', async () => {
    await withAndroids(test, 0)
    const { phone, module } = firebasePhone()
    const shown: string[] = []
    const show = async ({ message }: { message: string }) => void shown.push(message)
    const app = await open({ push: firebase(module, 'android', { show }) })
    expect(await app.push.ask()).to.deep.equal({ state: 'subscribed' })
    const { message, tokens, opens } = await send()
    expect(tokens).to.deep.equal(['token-of-fcm'])
    await phone.receiveInBackground(dataOf(message))
    expect(shown).to.deep.equal(['Until six.'])
    await app.push.opened(dataOf(message))
    expect(await opens()).to.equal(1)
    phone.renew('another-token')
    await app.flush()
    await app.flush()
    expect((await send()).tokens).to.deep.equal(['another-token'])

    const apple = firebasePhone()
    const iphone = await open({ native: reactNative('ios').native, push: firebase(apple.module, 'ios') })
    await iphone.push.ask()
    const registered = (await stored('k.push.deviceRegistered')).at(-1)
    expect(registered!.data).to.include({ type: 1, token: 'abcdef0123456789' })
    apple.phone.appleToken = null
    await iphone.push.stop()
    expect(await iphone.push.ask()).to.deep.include({ state: 'unsupported' })
  })

  it('knows what the phone says: refused, revoked, renewed, without a token, stopped', async () => {
    const { phone, module } = expoPhone('ios')
    const native = reactNative('ios').native
    const storage = asyncStorage()
    phone.answer = false
    const app = await open({ native, storage, push: expo(module) })
    const changes = hear(app, 'push.changed')
    expect(await app.push.ask()).to.deep.include({ state: 'denied' })
    phone.granted = true
    expect(await app.push.ask()).to.deep.equal({ state: 'subscribed' })
    phone.renew('00ff00ff00ff00ff')
    await app.flush()
    await app.flush()
    expect((await stored('k.push.deviceRegistered')).at(-1)!.data).to.include({ token: '00ff00ff00ff00ff' })
    await app.stop()

    phone.granted = false
    test.clock.set(Date.now())
    const again = await open({ native, storage, push: expo(module) })
    expect(await seen(again)).to.include({ subscribedToPushNotifications: false })
    phone.granted = true
    test.clock.set(Date.now())
    expect(await again.push.ask()).to.deep.equal({ state: 'subscribed' })
    test.clock.set(Date.now())
    await again.push.stop()
    expect(await seen(again)).to.include({ subscribedToPushNotifications: false })
    expect(await again.push.state()).to.deep.include({ state: 'stopped' })
    phone.renew('11ff11ff11ff11ff')
    await again.flush()
    expect(await seen(again)).to.include({ subscribedToPushNotifications: false })
    phone.token = ''
    expect(await again.push.ask()).to.deep.include({ state: 'failed' })
    expect(changes.map(({ state }) => state)).to.deep.equal(['denied', 'subscribed'])
    expect(await (await open()).push.ask()).to.deep.include({ state: 'unsupported' })
  })

  it('leaves pushes of others to others', async () => {
    const { phone, module } = expoPhone('android')
    const app = await open({ push: expo(module) })
    const received = hear(app, 'push.received')
    await phone.receive({ title: 'Hello', message: 'From elsewhere', body: '{}' }, 'foreign')
    await phone.receive({ custom: '{"a": {"k.message": {"data": {"id": "1"}}}}', title: 'T', alert: 'M' }, 'odd')
    await phone.receive({ custom: 'no json' }, 'broken')
    await app.push.inBackground({ data: {} })
    await app.flush()
    expect(received).to.deep.equal([])
    expect([...phone.tray.keys()]).to.include('foreign')
    expect(await stored('k.message.delivered')).to.deep.equal([])
  })

  it('keeps events while the server is away, over a restart, in their order', async () => {
    const storage = asyncStorage()
    const offline = await open({ url: 'http://127.0.0.1:9', storage })
    for (const n of [1, 2, 3]) offline.track('cart.added', { n })
    offline.location({ latitude: 52.5, longitude: 13.4 })
    await offline.flush()
    await offline.stop()
    const online = await open({ storage })
    expect((await stored('cart.added')).map(({ data }) => data)).to.deep.equal([{ n: 1 }, { n: 2 }, { n: 3 }])
    expect((await stored('k.engage.locationUpdated')).map(({ data }) => data)).to.deep.equal([{ lat: 52.5, lng: 13.4 }])
    expect(await online.installId()).to.equal(await offline.installId())
    expect(storage.texts.get('appsvc.queue')).to.equal('[]')
  })

  it('keeps events that only a proxy answered, and of a batch drops the one that is refused', async () => {
    const { fetch: real } = globalThis
    const { warn } = console
    console.warn = () => {}
    const pages = [
      new Response('<!doctype html>Welcome to the hotel', { status: 200 }),
      new Response('<html>Cookie too large', { status: 400 }),
    ]
    globalThis.fetch = async (url, init) => {
      const isUpload = (url as string).endsWith('/events')
      const page = isUpload && pages.shift()
      if (page) return page
      if (isUpload && (init!.body as string).includes('too.large')) return new Response('<html>', { status: 413 })
      return real(url, init)
    }
    try {
      const app = await open()
      for (const type of ['cart.added', 'too.large', 'cart.paid']) app.track(type)
      for (let i = 0; i < 3; i++) await app.flush()
      const types = ['cart.added', 'too.large', 'cart.paid']
      expect((await stored(...types)).map(({ type }) => type)).to.deep.equal(['cart.added', 'cart.paid'])
    } finally {
      globalThis.fetch = real
      console.warn = warn
    }
  })

  it('keeps events while its keys are wrong, and goes on behind what the server refuses for good', async () => {
    const storage = asyncStorage()
    const warned: unknown[] = []
    const { warn } = console
    console.warn = (...what: unknown[]) => void warned.push(what)
    const locked = await open({ storage, secretKey: 'dk_wrong' })
    locked.track('cart.added', { n: 1 })
    await locked.flush()
    await locked.stop()
    console.warn = warn
    expect(JSON.stringify(warned)).to.include('refuses events')
    storage.texts.set(
      'appsvc.queue',
      JSON.stringify([...(JSON.parse(storage.texts.get('appsvc.queue')!) as object[]), { type: 7 }]),
    )
    const app = await open({ storage })
    app.track('cart.added', { n: 2 })
    await app.flush()
    expect((await stored('cart.added')).map(({ data }) => data)).to.deep.equal([{ n: 1 }, { n: 2 }])
  })

  it('follows the app to the front and to the back', async () => {
    const phone = reactNative('android')
    const app = await open({ native: phone.native })
    phone.become('inactive')
    phone.become('background')
    phone.become('active')
    await app.flush()
    expect((await stored('k.fg', 'k.bg')).map(({ type }) => type)).to.deep.equal(['k.fg', 'k.bg', 'k.fg'])
    await app.stop()
    expect(phone.listening()).to.equal(0)
  })

  describe('its user', () => {
    it('is said once, also with a token, and can be nobody again', async () => {
      const key = await test.program.inTransaction((tx) => tx.signedIds.setMode(test.first.id, 'require'))
      expect(key).to.be.a('string')
      const token = await test.program.signedIds.sign(test.first.id, 'anna', null)
      const app = await open()
      for (let i = 0; i < 2; i++) await app.user.is('anna', { token, attributes: { plan: 'gold' } })
      expect((await seen(app)).user).to.equal('anna')
      expect(await test.program.crm.attributes(test.first.id, 'anna')).to.deep.equal({ plan: 'gold' })
      expect(await stored('k.stats.userAssociated')).to.have.length(1)
      expect((await test.program.crm.showUser(test.first.id, 'anna')).inAppEnabled).to.equal(true)
      await app.user.isNobody()
      await app.user.isNobody()
      expect((await seen(app)).user).to.equal(await app.installId())
      expect(await stored('k.stats.userAssociationCleared')).to.have.length(1)
    })
  })

  it('has channels and purposes, and loses no refusal', async () => {
    const channel = { uuid: 'news', name: 'News', showInPortal: true }
    expect((await test.call('POST', '/messages/channels', { body: channel })).status).to.equal(201)
    const purpose = { name: 'Offers', default: true }
    expect((await test.call('PUT', '/crm/v1/purposes/offers', { body: purpose })).status).to.be.within(200, 201)
    const app = await open()
    await app.channels.subscribe('news')
    expect(await app.channels.list()).to.deep.include({ uuid: 'news', name: 'News', subscribed: true, meta: null })
    await app.channels.unsubscribe('news')
    expect((await app.channels.list())[0]).to.include({ subscribed: false })
    expect(await app.channels.subscribe('nothing').catch((error: Error) => error.message)).to.include('404')
    await app.consent.set('offers', false)
    expect((await app.consent.list())[0]).to.include({ uid: 'offers', allowed: false })
    expect(await app.consent.set('nothing', false).catch((error: Error) => error.message)).to.include('422')

    const storage = asyncStorage()
    const offline = await open({ url: 'http://127.0.0.1:9', storage })
    await offline.consent.set('offers', false)
    await offline.stop()
    const online = await open({ storage })
    expect((await online.consent.list())[0]).to.include({ allowed: false })
    expect(storage.texts.get('appsvc.choices')).to.equal('{}')
  })
})
