import { createHash } from 'node:crypto'
import { expect } from 'chai'
import { type Answer, openTestServer, type TestServer } from '../../support/http.ts'
import { addInstall } from '../../support/installs.ts'
import { onEachDatabase } from '../../support/program.ts'
import { column, makeTable, restKey } from '../../support/tables.ts'

const NOTIFICATION = { target: { broadcast: true }, content: { title: 'T', message: 'M' } }
const KEY = { 'idempotency-key': 'order-1' }
const PATH = '/messages/v2/notifications'

onEachDatabase('an Idempotency-Key', (kind) => {
  let test: TestServer
  before(async () => {
    test = await openTestServer({ kind })
  })
  beforeEach(async () => {
    await test.startOver()
    // Some tests sweep, and count.
    await test.program.kernel.db.write((trx) => trx('idempotency_keys').delete())
    await addInstall(test.program, test.first.id, 'a')
  })
  after(() => test.close())

  const isRepeat = ({ headers }: Answer) => headers.get('idempotency-replayed') === 'true'
  const send = (message = 'M') =>
    test.call('POST', PATH, { body: { ...NOTIFICATION, content: { title: 'T', message } }, headers: KEY })
  const device = (path: string, body: object, headers = KEY) =>
    test.call('POST', path, { auth: 'device', body, headers })
  const opened = (install: string, id: number) => device(`/push/v1/app-installs/${install}/opens`, { id })

  it('of a device is none of the server, whichever comes first', async () => {
    expect((await device('/push/v1/channels', { uuid: 'c1' })).status).to.equal(201)
    const first = await send()
    expect(first.status).to.equal(202)
    expect((await send()).body).to.deep.equal(first.body)
    expect(isRepeat(await device('/push/v1/channels', { uuid: 'c1' }))).to.equal(true)
    expect((await device('/push/v1/channels', { uuid: 'c2' })).status).to.equal(422)
    expect((await send('other')).status).to.equal(422)
  })

  it('is unused after an answer that refuses: the same request may do its work later', async () => {
    const body = { ...NOTIFICATION, target: { userIds: ['later'] } }
    const ask = () => test.call('POST', PATH, { body, headers: KEY })
    const refused = await ask()
    expect([refused.status, isRepeat(refused)]).to.deep.equal([400, false])
    await addInstall(test.program, test.first.id, 'b', { user: 'later' })
    const accepted = await ask()
    expect([accepted.status, isRepeat(accepted)]).to.deep.equal([202, false])
    expect(isRepeat(await ask())).to.equal(true)
  })

  it('of an install is none of another one, nor of a user', async () => {
    for (const install of ['i1', 'i2']) expect((await opened(install, 1)).status, install).to.equal(204)
    for (const body of [
      { uuid: 'c', installId: 'i1' },
      { uuid: 'c', userIdentifier: 'u1' },
      { uuid: 'c', userIdentifier: 'u2' },
    ]) {
      expect((await device('/push/v1/channels', body)).status).to.equal(201)
    }
    expect(isRepeat(await opened('i1', 1))).to.equal(true)
    expect((await opened('i1', 2)).status).to.equal(422)
  })

  it('of a REST key is none of the server', async () => {
    const table = await makeTable(test, 'cakes', [column('kind', 'string')])
    const auth = await restKey(test, ['create'])
    const create = (body: object) => test.call('POST', `/data/v1/data/${table.alias}`, { auth, body, headers: KEY })
    expect((await create({ kind: 'rum' })).status).to.equal(201)
    expect((await send()).status).to.equal(202)
    expect(isRepeat(await create({ kind: 'rum' }))).to.equal(true)
    expect((await create({ kind: 'tea' })).status).to.equal(422)
  })

  describe('from before callers were told apart', () => {
    /** Stores an answer as the version before did. */
    async function stored(path: string, body: object, answer: object, { status = 202, ageDays = 1 } = {}) {
      const fingerprint = createHash('sha256')
        .update(`POST ${path}\n${JSON.stringify(body)}`)
        .digest('hex')
      const created = test.clock.now() - ageDays * 86_400_000
      const row = { app_id: test.first.id, key: 'order-1', caller: '', fingerprint, created_at: created }
      const kept = { status, headers: '{}', body: JSON.stringify(answer) }
      await test.program.kernel.db.write((trx) => trx('idempotency_keys').insert({ ...row, ...kept }))
    }
    const rows = () => test.program.kernel.db.read('idempotency_keys').select('caller')

    it('gives a server its first answer again, and holds it to its word', async () => {
      await stored(PATH, NOTIFICATION, { first: true })
      expect((await send()).body).to.deep.equal({ first: true })
      expect((await send('other')).status).to.equal(422)
      expect(await rows()).to.deep.equal([{ caller: '' }])
    })

    it('is no hindrance to a device, and gives it its own first answer', async () => {
      await stored(PATH, NOTIFICATION, { first: true })
      expect((await device('/push/v1/channels', { uuid: 'c1' })).status).to.equal(201)
      await test.program.kernel.db.write((trx) => trx('idempotency_keys').delete())
      await stored('/push/v1/channels', { uuid: 'c1' }, { own: true }, { status: 201 })
      expect((await device('/push/v1/channels', { uuid: 'c1' })).body).to.deep.equal({ own: true })
    })

    it('is forgotten after a month', async () => {
      await stored(PATH, NOTIFICATION, { first: true }, { ageDays: 31 })
      const sweep = () => test.program.inTransaction((tx) => tx.idempotency.sweep(10))
      expect((await send('other')).status).to.equal(202)
      expect(await sweep()).to.equal(1)
      expect(await rows()).to.deep.equal([{ caller: 'server' }])
      test.clock.advance(31 * 86_400_000)
      expect((await send()).status, 'the key is free again').to.equal(202)
      expect(isRepeat(await send())).to.equal(true)
      test.clock.advance(31 * 86_400_000)
      expect(await sweep()).to.equal(1)
    })
  })
})
