import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { jetstream, jetstreamManager } from '@nats-io/jetstream'
import { connect } from '@nats-io/transport-node'
import { expect } from 'chai'
import { type Areas, createApp } from '../../../src/app.ts'
import { createFollowing, type Following } from '../../../src/domain/followers/follow.ts'
import { Secret } from '../../../src/platform/config/secret.ts'
import { openTestApp, type TestApp } from '../../support/app.ts'
import { eventually } from '../../support/eventually.ts'
import { openNatsServer } from '../../support/nats.ts'
import { needs } from '../../support/needs.ts'
import { PROGRAMS_MS } from '../../support/programs.ts'
import { tracker } from '../../support/webhooks.ts'

describe('the stream of a NATS server', function () {
  this.timeout(PROGRAMS_MS)
  let dir: string
  let server: Awaited<ReturnType<typeof openNatsServer>>
  let test: TestApp
  let track: ReturnType<typeof tracker>['track']
  let follower: Following | undefined
  before(function () {
    needs(this, 'nats-server')
  })
  beforeEach(async () => {
    dir = mkdtempSync(join(tmpdir(), 'appsvc-nats-'))
    server = await openNatsServer(join(dir, 'store'), 'max_payload: 8192')
    await server.start()
    test = await openTestApp({ settings: { 'nats.url': server.url } })
    ;({ track } = tracker(test))
    follower = undefined
  })
  afterEach(async () => {
    await test?.close()
    await server.stop()
    rmSync(dir, { recursive: true, force: true })
  })

  const signal = new AbortController().signal

  /** One turn of whoever follows now; false when nobody does, or it failed. */
  async function turn(): Promise<boolean> {
    const { app, clock } = test
    const [wanted] = await app.follows()
    test.clock.advance(2000)
    if (!wanted) return false
    const parts = { read: app, inTransaction: app.inTransaction, clock, log: app.kernel.log, owner: 'test' }
    if (follower?.follower.name !== wanted.name) follower = createFollowing<Areas>(parts, wanted)
    return follower.turn(signal).then(
      (turned) => turned === 'waiting',
      () => false,
    )
  }
  const untilAtEnd = () => eventually(turn, 'all events are handed over')

  /** What the stream has: subject, id and number of each message, in order. */
  async function stored() {
    const connection = await connect({ servers: server.url })
    try {
      const { state } = await (await jetstreamManager(connection)).streams.info('APPSVC')
      const consumer = await jetstream(connection).consumers.get('APPSVC', {})
      const messages = []
      for (let i = 0; i < state.messages; i++) {
        const message = (await consumer.next({ expires: 5000 }))!
        const body = message.json<{ id: string; data?: { n: number }; truncated?: true }>()
        messages.push({ subject: message.subject, msgId: message.headers?.get('Nats-Msg-Id'), ...body })
      }
      return messages
    } finally {
      await connection.close()
    }
  }
  const numbers = async () => (await stored()).map(({ data }) => data!.n)

  it('gets every event in order under its subject, with an id that makes repeats harmless', async () => {
    const given = [...(await track(3)), ...(await track(2, 'k.custom.sort of'))]
    await untilAtEnd()
    const messages = await stored()
    expect(messages.map(({ data }) => data!.n)).to.deep.equal(given)
    expect(messages[0]!.subject).to.equal(`appsvc.${test.first.id}.bought`)
    for (const { msgId, id } of messages) expect(msgId).to.equal(id)
    // As after a crash between storing and moving the cursor.
    await test.app.kernel.db.write((trx) => trx('followers').update({ cursor: '0'.repeat(22), lease_until: 0 }))
    follower = undefined
    await untilAtEnd()
    expect(await numbers()).to.deep.equal(given)
  })

  it('that is away for a while loses nothing and gets nothing twice', async () => {
    const given = await track(2)
    await untilAtEnd()
    await server.stop()
    given.push(...(await track(2)))
    await eventually(async () => !(await turn()), 'the failure shows')
    given.push(...(await track(1)))
    await server.start()
    await untilAtEnd()
    expect(await numbers()).to.deep.equal(given)
  })

  it('that was wiped gets everything that the log still has', async () => {
    const given = await track(3)
    await untilAtEnd()
    await server.stop()
    server.wipe()
    given.push(...(await track(2)))
    await server.start()
    await eventually(async () => (await turn()) && (await stored()).length === given.length, 'the stream is full again')
    expect(await numbers()).to.deep.equal(given)
    expect(await test.app.followers.states()).to.have.length(1)
  })

  it('keeps its place while it is switched off, and is not said to lag then', async () => {
    await track(2)
    await untilAtEnd()
    await track(1)
    const { kernel } = test.app
    const config = { ...kernel.config, 'nats.url': new Secret('') }
    const off = createApp({ ...kernel, config })
    expect(await test.app.followers.states()).to.have.length(1)
    expect(await off.follows()).to.deep.equal([])
    expect(await off.followers.states()).to.deep.equal([])
    await untilAtEnd()
    expect(await numbers()).to.have.length(3)
  })

  it('gets an event that is too large for it without data', async () => {
    await track(1, 'bought', { note: 'x'.repeat(9000) })
    await track(1)
    await untilAtEnd()
    const [large, small] = await stored()
    expect(large).to.include({ truncated: true }).and.not.have.property('data')
    expect(small).to.have.property('data')
  })
})
