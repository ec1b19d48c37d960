import { expect } from 'chai'
import { withAndroids } from '../support/delivery.ts'
import { wholeDatabase } from '../support/every-table.ts'
import { openTestServer, type TestServer } from '../support/http.ts'
import { addInstall } from '../support/installs.ts'
import { onSqliteDaily } from '../support/program.ts'

interface Preview {
  recipients: number
  isComplete: boolean
  confirm: number | null
  gateways: { platform: string; recipients: number; configured: boolean; request: { bytes: number; limit: number } }[]
  leftOut: { reason: string; count: number }[]
  mayBeSkipped: string[]
  errors: Record<string, unknown[]>
}

onSqliteDaily('the preview of a notification', (kind) => {
  let test: TestServer
  before(async () => {
    test = await openTestServer({ kind })
    const { program, first } = test
    await withAndroids(test, 3)
    await addInstall(program, first.id, 'silent', { user: 'sam', subscribed: false })
    // A phone of a platform without a gateway.
    await program.inTransaction(async ({ crm }) => {
      const install = await crm.ensureInstall(first.id, 'huawei', test.clock.now())
      await crm.registerToken(first.id, install, { token: 'h', type: 5 }, test.clock.now())
    })
    await test.call('PUT', '/messages/v1/restraint', {
      body: { quietHours: { from: '22:00', to: '07:00' }, frequencyCap: { count: 3, hours: 24 }, confirmAbove: 2 },
    })
  })
  after(() => test.close())

  const PATH = '/messages/v2/notifications/preview'
  const request = (target: object, more: object = {}) => ({
    target,
    content: { title: 'Hi', message: 'there' },
    ...more,
  })
  const preview = async (target: object, more: object = {}) => {
    const { status, body } = await test.call('POST', PATH, { body: request(target, more) })
    expect(status, JSON.stringify(body)).to.equal(200)
    return body as Preview
  }

  it('counts the audience by platform, says who is left out and why, and shows the payloads', async () => {
    const found = await preview({ broadcast: true, excludeInstallIds: ['install-0'] })
    expect(found).to.deep.include({
      recipients: 3,
      isComplete: true,
      confirm: 3,
      leftOut: [
        { reason: 'excluded', count: 1 },
        { reason: 'no_gateway', count: 1 },
      ],
      mayBeSkipped: ['quiet_hours', 'frequency_cap'],
      errors: {},
    })
    expect(
      found.gateways.map(({ platform, recipients, configured }) => [platform, recipients, configured]),
    ).to.deep.equal([
      ['android', 2, true],
      ['hcm', 1, false],
    ])
    for (const { request } of found.gateways) {
      expect(request.bytes).to.be.greaterThan(0).and.below(request.limit)
      expect(JSON.stringify(request)).to.include('there')
    }
    expect((await preview({ broadcast: true }, { confirm: 4 })).confirm).to.equal(null)
  })

  it('names who is unknown and who is not subscribed, also when nobody is left', async () => {
    const found = await preview({ installIds: ['install-1', 'nobody', 'silent'], userIds: ['sam', 'who'] })
    expect(found.recipients).to.equal(1)
    expect(found.errors).to.deep.equal({
      unknownInstallIds: ['nobody'],
      unsubscribedInstallIds: ['silent'],
      unknownUserIds: ['who'],
      unsubscribedUserIds: ['sam'],
    })
    expect(found.leftOut).to.deep.equal([
      { reason: 'unknown_install', count: 1 },
      { reason: 'unsubscribed_install', count: 1 },
      { reason: 'unknown_user', count: 1 },
      { reason: 'unsubscribed_user', count: 1 },
    ])
    expect(await preview({ installIds: ['nobody'] })).to.deep.include({ recipients: 0, gateways: [] })
  })

  it('refuses what a send would refuse, with the same answer', async () => {
    const wrong = [
      {},
      request({}),
      request({ channelUuids: ['none'] }),
      request({ broadcast: true }, { content: { title: 'T', message: 'x'.repeat(5000) } }),
      request({ broadcast: true }, { reportingMeta: { long: 'x'.repeat(100_000) } }),
    ]
    for (const body of wrong) {
      const [previewed, sent] = [
        await test.call('POST', PATH, { body }),
        await test.call('POST', '/messages/v2/notifications', { body }),
      ]
      expect(previewed.status).to.equal(422)
      expect(previewed.body).to.deep.equal(sent.body)
    }
  })

  it('stores and sends nothing', async () => {
    const { read } = test.program.kernel.db
    const before = await wholeDatabase(read)
    await preview({ broadcast: true }, { userMeta: { sam: { a: 1 } } })
    const schedule = { sendAt: '2030-01-01 10:00', strategy: 'local', pastTimes: 'ignore' }
    expect((await preview({ broadcast: true }, { schedule })).recipients).to.equal(4)
    expect(await wholeDatabase(read)).to.deep.equal(before)
  })

  it('names the rules that such a send asks: a transactional one fewer, one with a purpose more', async () => {
    for (const [uid, required] of [
      ['offers', false],
      ['account', true],
    ] as const) {
      await test.call('PUT', `/crm/v1/purposes/${uid}`, { body: { name: uid, default: true, required } })
    }
    const rules = async (more: object) => (await preview({ broadcast: true }, more)).mayBeSkipped
    const restrained = ['quiet_hours', 'frequency_cap']
    expect(await rules({ purpose: 'offers' })).to.deep.equal([...restrained, 'not_wanted'])
    expect(await rules({ purpose: 'account' })).to.deep.equal(restrained)
    expect(await rules({ purpose: 'offers', priority: 'transactional' })).to.deep.equal([])
    await test.call('PUT', '/crm/v1/suppressions/bert', { body: {} })
    expect(await rules({})).to.deep.equal([...restrained, 'on_suppression_list'])
    expect(await rules({ priority: 'transactional' })).to.deep.equal(['on_suppression_list'])
    expect(await rules({ purpose: 'offers' })).to.deep.equal([...restrained, 'not_wanted', 'on_suppression_list'])
  })

  it('counts on the reader thread, and says when its time was over', async () => {
    const calls: unknown[] = []
    test.program.kernel.longReads = {
      async ask<T>(call: string, args: readonly unknown[], { seconds }: { seconds: number }) {
        calls.push([call, seconds])
        const pace = { turn: async () => false, monotonic: () => 0, seconds }
        return (await test.program.audience.count(...(args as [number, never]), pace)) as T
      },
      close() {},
    }
    try {
      expect(await preview({ broadcast: true })).to.include({ isComplete: false, recipients: 0 })
      expect(calls).to.deep.equal([['audience.count', 60]])
    } finally {
      test.program.kernel.longReads = undefined
    }
  })
})
