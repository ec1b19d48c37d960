import { expect } from 'chai'
import type { Outcome, Sender } from '../../../src/domain/gateways/gateway.ts'
import { gateways } from '../../../src/domain/gateways/registry.ts'
import { recoverPages } from '../../../src/domain/notifications/deliver/recover.ts'
import { TURN_MS } from '../../../src/domain/notifications/record/verdict.ts'
import { SOURCE, STATUS } from '../../../src/domain/notifications/types.ts'
import {
  deliverDue,
  deliveryParts,
  fanOut,
  scriptedSender,
  sendWithoutAnswers,
  withAndroids,
} from '../../support/delivery.ts'
import { FORMS, parse, small, wrongKeys } from '../../support/notification-forms.ts'
import { onEachDatabase, openTestProgram, type TestProgram } from '../../support/program.ts'
import { sharedDatabase } from '../../support/shared-database.ts'

const HOUR = 3_600_000
const ACCEPTED: Outcome = { kind: 'accepted' }
const SOURCES = { messages: SOURCE.messages, push: SOURCE.push, legacy: SOURCE.legacy }

describe('what vendors are sent with ttl 0', () => {
  const content = { title: 'T', message: 'M', background: false, notificationId: 1, ios: {}, android: {} }
  const message = { content, expiresAt: 0, replacementKey: 'n1' }
  const said = (platform: keyof typeof gateways) => JSON.stringify(gateways[platform].preview(message))

  it('is that they try once and keep nothing', () => {
    expect(said('ios')).to.contain('"apns-expiration":"0"')
    expect(said('safari')).to.contain('"apns-expiration":"0"')
    expect(said('android')).to.contain('"ttl":"0s"')
    // Huawei takes no zero: one second is the least.
    expect(said('hcm')).to.contain('"ttl":"1s"')
    expect(said('web').toLowerCase()).to.contain('"ttl":"0"')
  })
})

describe('other zeros of a notification', () => {
  for (const form of FORMS) {
    it(`have a meaning or are refused by name (${form})`, () => {
      for (const [field, value, expected] of [
        ['ttl', 0, []],
        ['ttl', -1, ['ttl']],
        ['ttl', -0, []],
        ['ttl', 0.5, ['ttl']],
        ['rateLimit', 0, ['rateLimit']],
        ['rateLimit', -5, ['rateLimit']],
        ['confirm', 0, []],
        ['confirm', -1, ['confirm']],
      ] as const) {
        expect(wrongKeys(form, { ...small[form](), [field]: value }), `${field} ${value}`).to.deep.equal(expected)
      }
    })
  }
})

onEachDatabase('zeros of settings', (kind) => {
  const sendOf = async (settings: Record<string, string>, schedule: boolean) => {
    const test = await openTestProgram({ kind, settings })
    try {
      await withAndroids(test, 1)
      const sendAt = new Date(test.clock.now() + HOUR).toISOString().slice(0, 16).replace('T', ' ')
      const extra = schedule ? { schedule: { sendAt, strategy: 'utc', pastTimes: 'ignore' } } : {}
      const { notification } = await test.program.inTransaction((tx) =>
        tx.sends.accept(test.first.id, SOURCE.messages, parse.messages({ ...small.messages(), ...extra })),
      )
      if (schedule) test.clock.set(Date.parse(`${sendAt.replace(' ', 'T')}:00Z`) + 900)
      await fanOut(test)
      const { sender } = scriptedSender(() => ACCEPTED)
      await deliverDue(test, sender)
      return (await test.program.notifications.report(test.first.id, notification!.id)).counts
    } finally {
      await test.close()
    }
  }

  it('delivery.ttl 0 gives each recipient one try', async () => {
    expect(await sendOf({ 'delivery.ttl': '0' }, false)).to.include({ accepted: 1, expired: 0 })
  })

  it('schedule.maxLateness 0 sends in the minute in which it is due', async () => {
    expect(await sendOf({ 'schedule.maxLateness': '0' }, true)).to.include({ accepted: 1, expired: 0 })
  })
})

onEachDatabase('a notification with ttl 0', (kind) => {
  let test: TestProgram

  const openShared = sharedDatabase(kind)
  beforeEach(async () => {
    test = await openShared({ settings: { 'delivery.pageSize': '4' } })
    await withAndroids(test, 6)
  })
  afterEach(() => test.close())

  async function accept(extra: object = {}, form: (typeof FORMS)[number] = 'messages'): Promise<number> {
    const { program, first } = test
    const request = parse[form]({ ...small[form](), ttl: 0, ...extra })
    const { notification } = await program.inTransaction((tx) => tx.sends.accept(first.id, SOURCES[form], request))
    return notification!.id
  }

  /** Sends what is due; returns how many were tried, and until when vendors were asked to try. */
  async function deliver(answer: (token: string) => Outcome = () => ACCEPTED) {
    const { sender, sent } = scriptedSender(answer)
    const until = new Set<number>()
    const prepare: Sender['prepare'] = (message) => {
      until.add(message.expiresAt)
      return sender.prepare(message)
    }
    await deliverDue(test, { ...sender, prepare })
    return { tried: sent.length, until: [...until] }
  }

  const countsOf = async (id: number) => (await test.program.notifications.report(test.first.id, id)).counts
  const statusOf = async (id: number) =>
    (await test.program.notifications.report(test.first.id, id)).notification.status

  for (const form of FORMS) {
    it(`is tried once, now, and vendors are asked to keep nothing (${form})`, async () => {
      const id = await accept({}, form)
      await fanOut(test)
      expect(await deliver()).to.deep.equal({ tried: 6, until: [0] })
      expect(await countsOf(id)).to.include({ audience: 6, accepted: 6, expired: 0 })
    })

    it(`is tried once at its due time (${form})`, async () => {
      const sendAt = new Date(test.clock.now() + HOUR).toISOString().slice(0, 16).replace('T', ' ')
      const schedule = { sendAt, strategy: 'utc', pastTimes: 'ignore' }
      const id = await accept({ schedule, ...(form === 'legacy' && { scheduled: true }) }, form)
      test.clock.advance(HOUR)
      await fanOut(test)
      expect(await deliver()).to.deep.equal({ tried: 6, until: [0] })
      expect(await countsOf(id)).to.include({ accepted: 6, expired: 0 })
    })
  }

  it('is tried although its turn comes some time after it was accepted', async () => {
    const id = await accept()
    test.clock.advance(TURN_MS - 1)
    await fanOut(test)
    test.clock.advance(TURN_MS - 1)
    expect((await deliver()).tried).to.equal(6)
    expect(await countsOf(id)).to.include({ accepted: 6 })
  })

  it('expires when nobody could send it for minutes', async () => {
    const late = await accept()
    test.clock.advance(TURN_MS + 1)
    await fanOut(test)
    const held = await accept()
    await fanOut(test)
    test.clock.advance(TURN_MS)
    expect((await deliver()).tried).to.equal(0)
    for (const id of [late, held]) {
      expect(await countsOf(id)).to.include({ audience: 6, expired: 6, pending: 0 })
      expect(await statusOf(id)).to.equal(STATUS.failed)
    }
  })

  it('is not tried again after whatever answer', async () => {
    const answers: Outcome[] = [
      { kind: 'throttled_recipient', reason: 'TooMany', afterMs: 1000 },
      { kind: 'gateway_down', reason: 'Down', local: true },
      { kind: 'uncertain', reason: 'no answer' },
      { kind: 'throttled_gateway', reason: 'Quota', afterMs: 1000, local: true },
      { kind: 'token_dead', reason: 'UNREGISTERED', local: true },
      ACCEPTED,
    ]
    const id = await accept()
    await fanOut(test)
    const first = await deliver((token) => answers[Number(token.split('-')[1])]!)
    expect(first.tried).to.equal(6)
    test.clock.advance(HOUR)
    await fanOut(test)
    expect((await deliver()).tried).to.equal(0)
    expect(await countsOf(id)).to.include({ pending: 0, accepted: 1, failed: 1, expired: 3, unknown: 1 })
    expect(await statusOf(id)).to.equal(STATUS.sent)
  })

  it('is not tried again while its lane has to wait', async () => {
    const id = await accept()
    await fanOut(test)
    expect((await deliver(() => ({ kind: 'throttled_gateway', reason: 'Quota', afterMs: 60_000 }))).tried).to.equal(4)
    test.clock.advance(HOUR)
    expect((await deliver()).tried).to.equal(0)
    expect(await countsOf(id)).to.include({ pending: 0, expired: 6 })
  })

  it('is not tried again when its worker died', async () => {
    const id = await accept()
    await fanOut(test)
    const worker = await sendWithoutAnswers(test, 4, () => ACCEPTED, { owner: 'dead', maxRecipients: 1 })
    test.clock.advance(60_000)
    expect(await recoverPages(deliveryParts(test), { name: 'dead' })).to.equal(1)
    test.clock.advance(60_000)
    expect((await deliver()).tried).to.be.at.most(2)
    await worker.release()
    expect((await countsOf(id)).pending).to.equal(0)
  })

  it('lets everybody have their turn at its own rate', async () => {
    const id = await accept({ rateLimit: 1 })
    await fanOut(test)
    let tried = 0
    for (let second = 0; second < 20; second++) {
      tried += (await deliver()).tried
      test.clock.advance(1000)
    }
    expect(tried).to.equal(6)
    expect(await countsOf(id)).to.include({ accepted: 6, expired: 0 })
  })

  it('does not wait for the end of quiet hours', async () => {
    const { program, first } = test
    await program.inTransaction((tx) =>
      tx.apps.restrain(first.id, { quiet: { from: 0, to: 23 * 60 + 59, hold: true } }),
    )
    const id = await accept()
    await fanOut(test)
    expect((await deliver()).tried).to.equal(0)
    expect(await countsOf(id)).to.include({ pending: 0, expired: 6 })
  })
})
