import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { jetstream, jetstreamManager } from '@nats-io/jetstream'
import { connect } from '@nats-io/transport-node'
import { expect } from 'chai'
import { eventJson } from '../../../src/domain/followers/event-json.ts'
import { createFollowing, type Following } from '../../../src/domain/followers/follow.ts'
import type { LoggedEvent } from '../../../src/domain/followers/types.ts'
import { createNatsStream } from '../../../src/domain/nats/stream.ts'
import { Secret } from '../../../src/platform/config/secret.ts'
import type { AppError } from '../../../src/platform/errors.ts'
import { type Areas, createProgram } from '../../../src/program.ts'
import { makeCa } from '../../support/certificates.ts'
import { eventually } from '../../support/eventually.ts'
import { openNatsServer } from '../../support/nats.ts'
import { needs } from '../../support/needs.ts'
import { openTestProgram, type TestProgram } from '../../support/program.ts'
import { PROGRAMS_MS } from '../../support/programs.ts'
import { tracker } from '../../support/webhooks.ts'

describe('the stream of a NATS server', function () {
  this.timeout(PROGRAMS_MS)
  let dir: string
  let server: Awaited<ReturnType<typeof openNatsServer>>
  let test: TestProgram
  let track: ReturnType<typeof tracker>['track']
  let follower: Following | undefined
  before(function () {
    needs(this, 'nats-server')
  })
  beforeEach(async () => {
    dir = mkdtempSync(join(tmpdir(), 'appsvc-nats-'))
    server = await openNatsServer(join(dir, 'store'), 'max_payload: 8192')
    await server.start()
    test = await openTestProgram({ settings: { 'nats.url': server.url } })
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
    const { program, clock } = test
    const [wanted] = await program.follows()
    test.clock.advance(2000)
    if (!wanted) return false
    const parts = { read: program, inTransaction: program.inTransaction, clock, log: program.kernel.log, owner: 'test' }
    if (follower?.follower.name !== wanted.name) follower = createFollowing<Areas>(parts, wanted)
    return follower.turn(signal).then(
      (turned) => turned === 'waiting',
      () => false,
    )
  }
  const untilAtEnd = () => eventually(turn, 'all events are handed over')

  /** Reads what the stream has: subject, id and number of each message, in order. */
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
  /** Returns the configuration of the stream. */
  async function configuration() {
    const connection = await connect({ servers: server.url })
    try {
      return (await (await jetstreamManager(connection)).streams.info('APPSVC')).config
    } finally {
      await connection.close()
    }
  }
  const numbers = async () => (await stored()).map(({ data }) => data!.n)

  it('gets every event in order under its subject, with an id that makes repeats harmless', async () => {
    const given = [...(await track(3)), ...(await track(2, 'k.custom.sort of'))]
    await untilAtEnd()
    const messages = await stored()
    // Nanoseconds: as long as the log keeps them, and repeats are known for two minutes.
    const { max_age, duplicate_window, subjects } = await configuration()
    expect([max_age, duplicate_window, subjects]).to.deep.equal([
      test.program.kernel.config['events.retentionDays'] * 86_400_000 * 1e6,
      120_000 * 1e6,
      ['appsvc.>'],
    ])
    expect(messages.map(({ data }) => data!.n)).to.deep.equal(given)
    expect(messages[0]!.subject).to.equal(`appsvc.${test.first.id}.bought`)
    for (const { msgId, id } of messages) expect(msgId).to.equal(id)
    // As after a crash between storing and moving the cursor.
    await test.program.kernel.db.write((trx) => trx('followers').update({ cursor: '0'.repeat(22), lease_until: 0 }))
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
    expect(await test.program.followers.states()).to.have.length(1)
  })

  it('keeps its place while it is switched off, and is not said to lag then', async () => {
    await track(2)
    await untilAtEnd()
    await track(1)
    const { kernel } = test.program
    const config = { ...kernel.config, 'nats.url': new Secret('') }
    const off = createProgram({ ...kernel, config })
    expect(await test.program.followers.states()).to.have.length(1)
    expect(await off.follows()).to.deep.equal([])
    expect(await off.followers.states()).to.deep.equal([])
    await untilAtEnd()
    expect(await numbers()).to.have.length(3)
  })

  it('gets data as long as the headers have room beside the event: 4096 bytes less than its most', async () => {
    await track(1, 'bought', { note: 'x'.repeat(1000) })
    const [probe] = (await test.program.eventLog.read({ limit: 1, types: ['bought'] })).events
    const more = 8192 - 4096 - Buffer.byteLength(JSON.stringify(eventJson(probe!)))
    await track(1, 'bought', { note: 'x'.repeat(1000 + more) })
    await track(1, 'bought', { note: 'x'.repeat(1001 + more) })
    await untilAtEnd()
    expect((await stored()).map(({ truncated = false }) => truncated)).to.deep.equal([false, false, true])
  })

  it('gets an event that is too large for it without data', async () => {
    await track(1, 'bought', { note: 'x'.repeat(9000) })
    await track(1)
    await untilAtEnd()
    const [large, small] = await stored()
    expect(large).to.include({ truncated: true }).and.not.have.property('data')
    expect(small).to.have.property('data')
  })

  it('says how many events from the first are safe, throws when none is, and is looked at again then', async () => {
    const connection = await connect({ servers: server.url })
    const { streams } = await jetstreamManager(connection)
    // What is larger is refused: between others, and as the first.
    await streams.add({ name: 'APPSVC', subjects: ['appsvc.>'], max_msg_size: 1000 })
    await connection.close()
    for (const size of [1, 2000, 1]) await track(1, 'bought', { note: 'x'.repeat(size) })
    const { events } = await test.program.eventLog.read({ limit: 9, types: ['bought'] })
    const [first, large, last] = events as [LoggedEvent, LoggedEvent, LoggedEvent]
    const settings = { url: server.url, credentials: '', stream: 'APPSVC', keptMs: 60_000, ca: [] }
    const own = createNatsStream(settings, { clock: test.clock, log: test.program.kernel.log })
    const store = async (...list: LoggedEvent[]) => {
      own.current()
      await own.settled()
      return own.store(list).catch((error: AppError) => `${error.code}: ${error.message}`)
    }
    try {
      expect(await own.store([first]).catch((error: AppError) => error.message)).to.equal('NATS is away')
      expect(await store(first, last)).to.equal(2)
      expect(await store(first, large, last)).to.equal(1)
      expect(own.current(), 'it may have gone').to.equal(undefined)
      expect(await store(large, first)).to.match(/^unavailable: NATS did not store an event: /)
      expect(await store(last)).to.equal(1)
      expect(own.current()).to.match(/^APPSVC:\d/)
    } finally {
      await own.close()
    }
    expect(own.current(), 'once it is closed').to.equal(undefined)
  })

  it('is reached over TLS when an authority that we know vouches for it, and by no other', async () => {
    const ca = makeCa()
    const { certPem, keyPem } = ca.issue({ cn: 'localhost' })
    const [cert, key] = [join(dir, 'cert.pem'), join(dir, 'key.pem')]
    writeFileSync(cert, certPem)
    writeFileSync(key, keyPem)
    const guarded = await openNatsServer(join(dir, 'guarded'), `tls { cert_file: "${cert}", key_file: "${key}" }`)
    await guarded.start()
    const settings = { url: `tls://localhost:${guarded.port}`, credentials: '', stream: 'APPSVC', keptMs: 86_400_000 }
    const reached = async (known: string[]) => {
      const own = createNatsStream({ ...settings, ca: known }, { clock: test.clock, log: test.program.kernel.log })
      own.current()
      await own.settled()
      const name = own.current()
      await own.close()
      return name
    }
    try {
      expect(await reached([])).to.equal(undefined)
      expect(await reached([makeCa('Another').certPem])).to.equal(undefined)
      expect(await reached([ca.certPem])).to.match(/^APPSVC:\d/)
    } finally {
      await guarded.stop()
    }
  })
})
