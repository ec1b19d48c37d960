import { expect } from 'chai'
import { createFrame } from '../../../clients/react-native/src/in-app/frame.ts'
import type { FrameProps } from '../../../clients/react-native/src/index.ts'
import { CLOSED_BY_HAND, describeInBrowser, HELLO } from '../../server/renderer/web-view.ts'
import { openTestServer, type TestServer } from '../../support/http.ts'
import { accept, addTemplates, handOut } from '../../support/in-app.ts'
import { appWorld } from './app-world.ts'
import { asyncStorage, reactNative } from './doubles.ts'

/** A web view without a browser: what the client tells the page in it, and what the page tells the client. */
function webView(props: FrameProps) {
  const told: { type: string; data: unknown }[] = []
  props.ref({
    injectJavaScript(script) {
      const json = /^window\.postHostMessage\((.*)\); true;$/s.exec(script)![1]!
      told.push(JSON.parse(json) as (typeof told)[0])
    },
  })
  const url = props.source.uri
  return {
    told,
    says: (type: string, data?: unknown) =>
      props.onMessage({ nativeEvent: { data: JSON.stringify({ type, data }), url } }),
    sends: (data: string, from = url) => props.onMessage({ nativeEvent: { data, url: from } }),
  }
}

describe('in-app messages of the client for React Native', () => {
  let test: TestServer
  const { open, end, stored, hear } = appWorld(() => test)
  before(async () => {
    test = await openTestServer()
  })
  beforeEach(async () => {
    await test.startOver()
    test.clock.set(Date.now())
    await addTemplates(test)
  })
  afterEach(() => end())
  after(() => test.close())

  const give = async (user: string, more: object = {}) => {
    const { message } = await accept(test, { target: { userIds: [user] }, ...more })
    await handOut(test)
    return message!.id
  }
  /** An app of Anna, who agreed to messages by starting it. */
  const openAnnas = async (more: Parameters<typeof open>[0] = {}) => {
    const app = await open(more)
    await app.user.is('anna')
    await app.flush()
    return app
  }
  const inbox = { title: 'Opening hours', subtitle: 'Today' }
  const reported = async (id: number) =>
    (
      await stored(
        'k.message.delivered',
        'k.message.opened',
        'k.message.read',
        'k.message.dismissed',
        'k.message.inbox.deleted',
      )
    )
      .filter(({ data }) => data?.id === id)
      .map(({ type }) => type.replace('k.message.', ''))
      .sort()

  it('are shown one after the other, reported, and closed for good', async () => {
    const storage = asyncStorage()
    const app = await openAnnas({ storage })
    const first = await give('anna', { inbox })
    const second = await give('anna')
    const frames = hear(app, 'in-app.changed')
    await app.inbox.refresh()
    expect(frames).to.have.length(1)
    expect(app.inApp.frame).to.equal(frames[0])
    expect(await app.inbox.unread()).to.equal(1)
    const view = webView(app.inApp.frame!)
    view.says('READY')
    expect(view.told.map(({ type }) => type)).to.deep.equal(['PRESENT_MESSAGE'])
    view.says('MESSAGE_OPENED')
    view.says('EXECUTE_ACTIONS', { actions: [{ type: 'closeMessage' }] })
    view.says('MESSAGE_CLOSED')
    view.says('MESSAGE_OPENED')
    view.says('EXECUTE_ACTIONS', { actions: [{ type: 'closeMessage' }] })
    view.says('MESSAGE_CLOSED')
    await app.flush()
    expect(view.told.map(({ type }) => type)).to.deep.equal([
      'PRESENT_MESSAGE',
      'CLOSE_MESSAGE',
      'PRESENT_MESSAGE',
      'CLOSE_MESSAGE',
    ])
    expect(app.inApp.frame).to.equal(null)
    const all = ['delivered', 'dismissed', 'opened']
    expect([await reported(first), await reported(second)].map((one) => one.join(' ')).sort()).to.deep.equal(
      [all.join(' '), [...all, 'read'].join(' ')].sort(),
    )
    await app.stop()
    const again = await open({ storage })
    expect(again.inApp.frame).to.equal(null)
    expect(await again.inbox.unread()).to.equal(0)
    expect((await again.inbox.list()).map(({ title, isRead }) => [title, isRead])).to.deep.equal([
      ['Opening hours', true],
    ])
  })

  it('stand in the inbox, where they can be opened, read and removed', async () => {
    const app = await openAnnas()
    const changes = hear(app, 'inbox.changed')
    const ids = [
      await give('anna', { inbox, presentedWhen: 'never' }),
      await give('anna', { inbox, presentedWhen: 'never' }),
    ]
    await app.inbox.refresh()
    expect(app.inApp.frame).to.equal(null)
    expect((await app.inbox.list()).map(({ id }) => id)).to.have.members(ids)
    await app.inbox.markRead(ids[0]!)
    await app.inbox.open(ids[1]!)
    expect(app.inApp.frame).to.be.an('object')
    await app.inbox.remove(ids[0]!)
    await app.inbox.remove(12_345)
    await app.flush()
    expect(changes.at(-1)).to.deep.equal({ unread: 0 })
    expect(await reported(ids[0]!)).to.deep.equal(['delivered', 'inbox.deleted', 'read'])
    const other = await openAnnas()
    await other.inbox.refresh()
    expect((await other.inbox.list()).map(({ id, isRead }) => [id, isRead])).to.deep.equal([[ids[1], true]])
  })

  it('do what their buttons say: what stays in the app, and one thing that ends them', async () => {
    const channel = { uuid: 'news', name: 'News', showInPortal: true }
    expect((await test.call('POST', '/messages/channels', { body: channel })).status).to.equal(201)
    const phone = reactNative('android')
    const app = await openAnnas({ native: phone.native })
    await give('anna')
    await app.inbox.refresh()
    const actions = hear(app, 'in-app.action')
    const view = webView(app.inApp.frame!)
    view.says('READY')
    view.says('EXECUTE_ACTIONS', {
      actions: [
        { type: 'deepLink', data: { deepLink: { screen: 'offers' } } },
        { type: 'openUrl', data: { url: 'https://bakery.example' } },
        { type: 'trackConversionEvent', data: { eventType: 'offer.taken', data: { n: 1 } } },
        { type: 'subscribeToChannel', data: { channelUuid: 'news' } },
      ],
    })
    await app.flush()
    expect(actions.map(({ type, data }) => [type, data])).to.deep.equal([['deepLink', { screen: 'offers' }]])
    expect(phone.visited).to.deep.equal([])
    expect((await stored('offer.taken')).map(({ data }) => data)).to.deep.equal([{ n: 1 }])
    expect((await app.channels.list())[0]).to.include({ uuid: 'news', subscribed: true })

    view.says('MESSAGE_CLOSED')
    for (const url of ['javascript:alert(1)', 'file:///etc/passwd', 'https://bakery.example']) {
      await give('anna')
      await app.inbox.refresh()
      webView(app.inApp.frame!).says('EXECUTE_ACTIONS', { actions: [{ type: 'openUrl', data: { url } }] })
      webView(app.inApp.frame!).says('MESSAGE_CLOSED')
      await app.flush()
    }
    expect(phone.visited).to.deep.equal(['https://bakery.example'])
  })

  it('of one user are not those of the next', async () => {
    const app = await openAnnas()
    await give('anna', { inbox })
    await app.inbox.refresh()
    expect(await app.inbox.unread()).to.equal(1)
    await app.user.is('ben')
    await app.flush()
    expect(await app.inbox.list()).to.deep.equal([])
  })

  it('come with the push that announces them, and not at all where the app wants none', async () => {
    const app = await openAnnas()
    const id = await give('anna', { notification: { title: 'T', message: 'M' } })
    const a = { 'k.message': { type: 1, data: { id: 1 } }, 'k.deepLink': { type: 1, data: { id } } }
    await app.push.inBackground({ data: { custom: JSON.stringify({ a }), title: 'T', alert: 'M' } })
    expect(app.inApp.frame).to.be.an('object')
    const failed = (url: string) => app.inApp.frame?.onHttpError({ nativeEvent: { url, statusCode: 404 } })
    failed('https://pictures.example/bread.png')
    expect(app.inApp.frame).to.be.an('object')
    failed(app.inApp.frame!.source.uri)
    expect(app.inApp.frame).to.equal(null)
    await app.inbox.refresh()
    expect(app.inApp.frame).to.be.an('object')

    const without = await openAnnas({ inApp: false })
    await give('anna')
    await without.inbox.refresh()
    expect(without.inApp.frame).to.equal(null)
    expect(await stored('k.inApp.statusUpdated')).to.have.length(2)
  })
})

describe('the frame of in-app messages in React Native', () => {
  const heard: string[] = []
  const hearing = Object.fromEntries(
    ['ready', 'shown', 'acts', 'closed', 'failed'].map((name) => [name, () => heard.push(name)]),
  ) as unknown as Parameters<typeof createFrame>[1]
  const { props } = createFrame('https://app.example.com/base', hearing)
  beforeEach(() => heard.splice(0))

  it('hears its own page only', () => {
    const ready = JSON.stringify({ type: 'READY' })
    for (const url of [
      'https://app.example.com/base/iar',
      'https://app.example.com/base/iar?x',
      'https://app.example.com/base/iar/a.js',
    ])
      props.onMessage({ nativeEvent: { data: ready, url } })
    expect(heard).to.deep.equal(['ready', 'ready', 'ready'])
    for (const url of [
      'https://app.example.com/base/iarx',
      'https://evil.example/base/iar',
      'https://app.example.com/',
      '',
    ])
      props.onMessage({ nativeEvent: { data: ready, url } })
    expect(heard).to.have.length(3)
  })

  it('loads its own page only', () => {
    expect(props.onShouldStartLoadWithRequest({ url: props.source.uri })).to.equal(true)
    expect(props.onShouldStartLoadWithRequest({ url: 'https://bakery.example' })).to.equal(false)
    expect(props.originWhitelist).to.deep.equal(['https://app.example.com'])
  })

  it('bears what is no message', () => {
    for (const data of ['', 'null', '7', '{', '[]', '{"type":"EXECUTE_ACTIONS"}', '{"type":"NOBODY_KNOWS"}'])
      props.onMessage({ nativeEvent: { data, url: props.source.uri } })
    expect(heard).to.deep.equal(['acts'])
  })
})

describeInBrowser('the renderer page in a web view of React Native', ({ show, click, heard, sent }) => {
  const { props } = createFrame('https://app.example.com', {} as never)
  /** The script that the client injects, in a page where `react-native-webview` has put its own object. */
  const app = `window.sent = []
    window.ReactNativeWebView = { postMessage(json) {
      const message = JSON.parse(json)
      sent.push(message)
      if (message.type === 'EXECUTE_ACTIONS') setTimeout(() => postHostMessage({ type: 'CLOSE_MESSAGE', data: null }))
    } }
    ${props.injectedJavaScriptBeforeContentLoaded}`

  it('is ready, shows, asks to close, and closes', async () => {
    await show(HELLO, { app })
    await click('.close')
    await heard(4)
    expect(await sent()).to.deep.equal(CLOSED_BY_HAND)
  })
})
