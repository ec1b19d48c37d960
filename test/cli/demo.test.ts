import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { expect } from 'chai'
import { type DemoDevice, makeDevices } from '../../src/cli/demo/devices.ts'
import { readPush } from '../../src/cli/demo/sdk.ts'
import { receive } from '../../src/cli/demo/story.ts'
import type { Received } from '../../src/sandbox/sandbox.ts'
import { PROGRAMS_MS } from '../support/programs.ts'
import { ended, firstLine, killAll, run, start } from './cli.ts'

interface Story {
  dataDir: string
  renderer: string
  gateways: string[]
  received: { device: string; platform: string; card: { platform: string; title: string }; page?: string }[]
  notification: { counts: object }
  openedBy: string[]
  inApp: {
    template: string
    message: { status: number; counts: object; push: { counts: object } }
    shown: { presentedWhen: string; content: { frame: { type: string } }; openedAt: string | null }
    before: string | null
    after: string | null
  }
}

describe('appsvc demo', function () {
  this.timeout(PROGRAMS_MS)
  after(killAll)

  it('--once runs the whole demo and exits with status 0', async () => {
    const { code, stdout, stderr } = await ended(start(['demo', '--once', '--json']))
    expect(stderr).to.equal('')
    expect(code).to.equal(0)
    const story = JSON.parse(stdout) as Story
    expect(story.gateways).to.have.members(['ios', 'android', 'web', 'safari', 'hcm'])
    expect(story.received.map(({ platform }) => platform)).to.deep.equal([
      'ios',
      'ios',
      'android',
      'hcm',
      'web',
      'web',
      'safari',
    ])
    for (const { card } of story.received) expect(card.title).to.equal('Fresh bread')
    expect(story.received.at(-1)!.page).to.equal('https://bakery.example/bread?knid=1')
    expect(story.notification.counts).to.include({ audience: 7, accepted: 7, delivered: 6, opened: 5 })
    expect(story.openedBy).to.deep.equal(['anna', 'clara', 'emi', 'finn', 'greta'])
    const { message, shown, before, after } = story.inApp
    expect(message.counts).to.include({ recipients: 4, delivered: 4, shown: 1, dismissed: 1 })
    expect(message.push.counts).to.include({ audience: 5, accepted: 5, delivered: 5, opened: 1 })
    expect(shown).to.deep.include({ presentedWhen: 'immediately', openedAt: null })
    expect(shown.content.frame.type).to.equal('fullscreen')
    expect(before).to.equal(null)
    expect(after).to.be.a('string')
    expect(story.renderer).to.match(/\/iar$/)
    expect(existsSync(story.dataDir)).to.equal(false)
  })

  it('commands beside it know its port and its stand-ins', async () => {
    const demo = start(['demo', '--json'])
    const { dataDir, listening } = await firstLine<Story & { listening: string }>(demo)
    const own = ['--data-dir', dataDir, '--json']
    const checked = await run(['gateways', 'check', 'Bakery', 'android', ...own])
    expect(checked.json()).to.have.nested.property('findings[0].level', 'ok')
    const shown = await run(['apps', 'show', 'Bakery', ...own])
    expect(shown.json<{ linkHost: string }>().linkHost.split(':')[1]).to.equal(new URL(listening).port)
    const exit = once(demo, 'exit')
    demo.kill('SIGTERM')
    expect((await exit)[0]).to.equal(0)
  })

  describe('fails', () => {
    const [device] = makeDevices() as [DemoDevice]
    const started = [{ device, token: 'aa' }]
    const standIn = (messages: Partial<Received>[]) => ({
      countOf: () => messages.filter(({ taken }) => taken).length,
      on: () => () => {},
      received: ({ taken }: { taken?: boolean | undefined } = {}) =>
        messages.filter((message) => taken === undefined || message.taken === taken) as Received[],
    })
    const told = async (messages: Partial<Received>[]) => {
      const error = await receive(standIn(messages), started, 7, 1).catch((thrown: Error) => thrown)
      return error instanceof Error ? error.message : 'nothing'
    }
    const block = (id: unknown) => JSON.stringify({ custom: { a: { 'k.message': { type: 1, data: { id } } } } })

    it('when a device gets nothing', async () => {
      expect(await told([])).to.equal("the push for Anna's iPhone did not arrive in time")
    })

    it('when its gateway refuses the push, and says how', async () => {
      expect(await told([{ taken: false, answer: '400 BadTopic', payload: '{}' }])).to.equal(
        "the push for Anna's iPhone did not arrive in time: its gateway answered 400 BadTopic",
      )
    })

    it('when the SDK would take the push for that of somebody else', async () => {
      for (const payload of ['{}', block('7'), block(undefined)]) {
        expect(await told([{ taken: true, payload }])).to.equal("the push for Anna's iPhone has no notification id")
      }
    })

    it('when nothing would be shown, or it is another notification', async () => {
      const message = { taken: true, gateway: 'apns', topic: 'com.example.app', headers: {} } as const
      expect(await told([{ ...message, payload: block(7) }])).to.include('would not show the notification')
      expect(await told([{ ...message, payload: block(8) }])).to.include('got notification 8, not 7')
    })
  })

  it('reads pushes as the SDK of each device does', () => {
    const a = { 'k.message': { type: 1, data: { id: 5 } }, 'k.deepLink': { type: 1, data: { id: 9 } } }
    const words = { custom: JSON.stringify({ a }) }
    const payloads: Partial<Record<DemoDevice['platform'], unknown>> = {
      ios: { aps: {}, custom: { a } },
      android: { message: { data: words } },
      hcm: { message: { data: JSON.stringify(words) } },
      web: { data: a },
      safari: { aps: { 'url-args': ['bread?x=1&knid=5'] } },
    }
    for (const device of makeDevices()) {
      const read = readPush(device, JSON.stringify(payloads[device.platform]))
      expect(read).to.deep.equal(
        device.platform === 'safari'
          ? { notificationId: 5, page: 'https://bakery.example/bread?x=1&knid=5' }
          : { notificationId: 5, inAppId: 9 },
      )
    }
  })
})
