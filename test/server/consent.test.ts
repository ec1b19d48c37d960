import { expect } from 'chai'
import { MAX_PURPOSES } from '../../src/domain/consent/schema.ts'
import { openTestServer, type TestServer } from '../support/http.ts'
import { addInstall } from '../support/installs.ts'
import { onEachDatabase } from '../support/program.ts'

const SEND = { target: { broadcast: true }, content: { title: 'T', message: 'M' } }
const LATER = { sendAt: '2099-01-01 12:00', strategy: 'utc', pastTimes: 'ignore' }

onEachDatabase('consent over HTTP', (kind) => {
  let server: TestServer
  before(async () => {
    server = await openTestServer({ kind })
  })
  beforeEach(() => server.startOver())
  after(() => server.close())

  const put = (path: string, body: unknown, auth = 'server') => server.call('PUT', `/crm/v1${path}`, { body, auth })
  const get = (path: string, auth = 'server') => server.call('GET', `/crm/v1${path}`, { auth })
  const del = (path: string) => server.call('DELETE', `/crm/v1${path}`)
  const errorsOf = ({ body }: { body: unknown }) => (body as { errors: Record<string, string[]> }).errors
  const NEWS = { name: 'News', description: 'Once a week', default: true }

  describe('purposes', () => {
    it('are created with 201, replaced with 200, read, listed and deleted', async () => {
      const made = await put('/purposes/news', NEWS)
      expect(made.status).to.equal(201)
      expect(made.body).to.include({ uid: 'news', ...NEWS, required: false })
      const again = await put('/purposes/news', { name: 'Letters', default: true, required: true })
      expect(again.status).to.equal(200)
      expect(again.body).to.include({ name: 'Letters', description: null, required: true })
      expect((await get('/purposes/news')).body).to.deep.equal(again.body)
      expect((await get('/purposes')).body).to.deep.equal({ purposes: [again.body] })
      expect((await del('/purposes/news')).status).to.equal(204)
      expect((await get('/purposes/news')).status).to.equal(404)
      expect((await del('/purposes/news')).status).to.equal(404)
    })

    const wrong: [string, string, object, string[]][] = [
      ['a uid with a blank', '/purposes/a%20b', NEWS, ['uid']],
      ['neither name nor default', '/purposes/news', {}, ['name', 'default']],
      [
        'one that is required and refused by default',
        '/purposes/a',
        { ...NEWS, default: false, required: true },
        ['default'],
      ],
    ]
    for (const [what, path, body, keys] of wrong) {
      it(`answers 422 to ${what}`, async () => {
        const answer = await put(path, body)
        expect([answer.status, Object.keys(errorsOf(answer))]).to.deep.equal([422, keys])
      })
    }

    it('are at most fifty for an app', async () => {
      for (let i = 0; i < MAX_PURPOSES; i++) expect((await put(`/purposes/p${i}`, NEWS)).status).to.equal(201)
      const { status, body } = await put('/purposes/more', NEWS)
      expect([status, body]).to.deep.equal([409, { error: 'the app has 50 purposes already: delete one first' }])
      expect((await put('/purposes/p0', NEWS)).status).to.equal(200)
    })

    it('are named by sends of every form, and shown in their records only then', async () => {
      await put('/purposes/news', NEWS)
      await addInstall(server.program, server.first.id, 'one', { subscribed: true })
      const flat = { broadcast: true, title: 'T', message: 'M' }
      const more = { purpose: 'news', priority: 'transactional' }
      for (const [path, body] of [
        ['/messages/v2/notifications', SEND],
        ['/push/v2/notifications', SEND],
        ['/push/notifications', flat],
      ] as const) {
        const named = await server.call('POST', path, { body: { ...body, ...more } })
        const record = (named.body as { notification?: object }).notification ?? named.body
        expect(record, path).to.include(more)
        const plain = await server.call('POST', path, { body: { ...body, priority: 'normal' } })
        const other = (plain.body as { notification?: object }).notification ?? plain.body
        expect(other, path).to.not.have.any.keys('purpose', 'priority')
        const unknown = await server.call('POST', path, { body: { ...body, purpose: 'x', priority: 'urgent' } })
        expect([unknown.status, Object.keys(errorsOf(unknown))], path).to.deep.equal([422, ['priority']])
        const typo = await server.call('POST', path, { body: { ...body, purpose: 'x' } })
        expect(errorsOf(typo), path).to.deep.equal({ purpose: ['there is no purpose "x"'] })
      }
    })

    it('cannot be deleted while something waits under them: 409', async () => {
      await put('/purposes/news', NEWS)
      await addInstall(server.program, server.first.id, 'one', { subscribed: true })
      const body = { ...SEND, purpose: 'news', schedule: LATER }
      const sent = await server.call('POST', '/messages/v2/notifications', { body })
      expect((await del('/purposes/news')).status).to.equal(409)
      const { id } = (sent.body as { notification: { id: number } }).notification
      expect((await server.call('DELETE', `/messages/v2/scheduled-notifications/${id}`)).status).to.equal(204)
      expect((await del('/purposes/news')).status).to.equal(204)
    })
  })

  describe('what a user allows', () => {
    beforeEach(async () => {
      await put('/purposes/news', NEWS)
      await put('/purposes/offers', { name: 'Offers', default: false })
      await put('/purposes/account', { name: 'Account', default: true, required: true })
    })
    const allowedOf = ({ body }: { body: unknown }) =>
      Object.fromEntries(
        (body as { purposes: { uid: string; allowed: boolean; choice: { source: string } | null }[] }).purposes.map(
          ({ uid, allowed, choice }) => [uid, choice ? [allowed, choice.source] : [allowed]],
        ),
      )
    const DEFAULTS = { news: [true], offers: [false], account: [true] }

    it('is the defaults for a user whom nobody knows, to a device; to a server he is 404', async () => {
      expect(allowedOf(await get('/users/anna/purposes', 'device'))).to.deep.equal(DEFAULTS)
      expect((await get('/users/anna/choices')).status).to.equal(404)
      expect((await server.program.crm.listUsers(server.first.id, 1, 10)).total).to.equal(0)
    })

    it('is what was said last, by device or server, with time and source; null goes back to the default', async () => {
      const device = await put('/users/anna/purposes', { news: false, offers: true }, 'device')
      expect(allowedOf(device)).to.deep.equal({ ...DEFAULTS, news: [false, 'device'], offers: [true, 'device'] })
      const told = await put('/users/anna/choices', { news: null, offers: false })
      expect(allowedOf(told)).to.deep.equal({ ...DEFAULTS, offers: [false, 'server'] })
      expect(allowedOf(await get('/users/anna/choices'))).to.deep.equal(allowedOf(told))
      const [, offers] = (told.body as { purposes: { choice: { at: string } | null }[] }).purposes
      expect(offers!.choice!.at).to.equal('2026-03-01T12:00:00+0000')
    })

    it('is not stored when one is unknown, is required and refused, or says neither yes nor no', async () => {
      const { status, body } = await put('/users/anna/purposes', { news: false, account: false, nwes: true }, 'device')
      expect([status, (body as { errors: object }).errors]).to.deep.equal([
        422,
        { account: ['cannot be refused: this purpose is required'], nwes: ['there is no purpose "nwes"'] },
      ])
      expect(errorsOf(await put('/users/anna/choices', { news: 1 }))).to.deep.equal({
        news: ['must be true, false or null'],
      })
      expect((await put('/users/anna/choices', [])).status).to.equal(422)
      expect(allowedOf(await get('/users/anna/purposes', 'device'))).to.deep.equal(DEFAULTS)
    })

    it('of a user whom nobody knew is told in the event log when a server stores it, not when a device does', async () => {
      await put('/users/anna/choices', { news: false })
      await put('/users/anna/choices', { news: true })
      await put('/users/bert/purposes', { news: false }, 'device')
      const { body } = await server.call('GET', '/messages/v1/events')
      const { events } = body as { events: { type: string; userId: string }[] }
      expect(events.map(({ type, userId }) => [type, userId])).to.deep.equal([['user.created', 'anna']])
    })

    it('of a required purpose is true again when an earlier refusal is stored', async () => {
      await put('/users/anna/choices', { news: false })
      await put('/purposes/news', { ...NEWS, required: true })
      expect(allowedOf(await get('/users/anna/choices')).news).to.deep.equal([true, 'server'])
    })

    it('can be read and said only by a token where the app signs its users', async () => {
      const { program, first } = server
      await program.inTransaction((tx) => tx.signedIds.setMode(first.id, 'require'))
      expect((await get('/users/anna/purposes', 'device')).status).to.equal(403)
      expect((await put('/users/anna/purposes', { news: false }, 'device')).status).to.equal(403)
      const token = await program.signedIds.sign(first.id, 'anna', null)
      expect((await put(`/users/${token}/purposes`, { news: false }, 'device')).status).to.equal(200)
      expect(allowedOf(await get('/users/anna/choices')).news).to.deep.equal([false, 'device'])
    })

    it('is forgotten with the purpose: a new one of that uid begins with its default', async () => {
      await put('/users/anna/choices', { news: false })
      await del('/purposes/news')
      await put('/purposes/news', NEWS)
      expect(allowedOf(await get('/users/anna/choices')).news).to.deep.equal([true])
      const { program } = server
      expect(await program.inTransaction((tx) => tx.purposes.forget(10))).to.equal(1)
      expect(await program.inTransaction((tx) => tx.purposes.forget(10))).to.equal(0)
      expect(await program.kernel.db.read('deleted_purposes')).to.have.lengthOf(0)
    })
  })

  it('is forgotten after its purpose, some choices at a time, the oldest purpose first', async () => {
    const { program } = server
    for (const uid of ['a', 'b']) {
      await put(`/purposes/${uid}`, NEWS)
      for (const user of ['anna', 'ben']) await put(`/users/${user}/choices`, { [uid]: false })
    }
    const ids: Record<string, number> = {}
    for (const row of await program.kernel.db.read('purposes').select('uid', 'id')) ids[row.uid] = row.id
    // In the other order: what counts is which one is older.
    for (const uid of ['b', 'a']) await del(`/purposes/${uid}`)
    const left = async () => {
      const choices = await program.kernel.db.read('user_purposes').orderBy('purpose_id').pluck('purpose_id')
      const gone = await program.kernel.db.read('deleted_purposes').count('* as n').first()
      return [choices.map((id) => (id === ids.a ? 'a' : 'b')).join(''), Number(gone!.n)]
    }
    const forget = (limit: number) => program.inTransaction((tx) => tx.purposes.forget(limit))
    expect([await forget(0), await left()]).to.deep.equal([0, ['aabb', 2]])
    expect([await forget(1), await left()]).to.deep.equal([1, ['abb', 2]])
    expect([await forget(1), await left()]).to.deep.equal([1, ['bb', 2]])
    expect([await forget(1), await left()]).to.deep.equal([1, ['b', 1]])
    expect([await forget(5), await left()]).to.deep.equal([1, ['', 0]])
  })

  describe('the suppression list', () => {
    it('takes one user at a time: 201, 200, read, and off again', async () => {
      const path = `/suppressions/${encodeURIComponent('anna@example.com/ü')}`
      const entry = { identifier: 'anna@example.com/ü', reason: 'asked', at: '2026-03-01T12:00:00+0000' }
      const made = await put(path, { reason: 'asked' })
      expect([made.status, made.body]).to.deep.equal([201, entry])
      server.clock.advance(1000)
      const again = await put(path, {})
      expect([again.status, again.body]).to.deep.equal([200, { ...entry, reason: null }])
      expect((await get(path)).body).to.deep.equal(again.body)
      expect((await get('/suppressions/anna')).status).to.equal(404)
      expect((await del(path)).status).to.equal(204)
      expect((await del(path)).status).to.equal(404)
    })

    it('takes many at a time, and is listed page by page without names', async () => {
      const many = (userIds: unknown) => server.call('POST', '/crm/v1/suppressions', { body: { userIds, reason: 'x' } })
      expect((await many(['anna', 'bert', 17, 'anna'])).body).to.deep.equal({ added: 3, known: 0 })
      expect((await many(['carl', '17'])).body).to.deep.equal({ added: 1, known: 1 })
      const first = await get('/suppressions?limit=3')
      const { suppressions, next } = first.body as { suppressions: { id: number; digest: string }[]; next: number }
      expect(suppressions).to.have.lengthOf(3)
      expect(JSON.stringify(first.body)).not.to.match(/anna|bert|carl/)
      const second = (await get(`/suppressions?after=${next}`)).body as { suppressions: object[]; next: null }
      expect([second.suppressions.length, second.next]).to.deep.equal([1, null])
      for (const wrong of [undefined, [], ['x'.repeat(256)], Array.from({ length: 1001 }, (_, i) => i)])
        expect((await many(wrong)).status).to.equal(422)
      const stored = JSON.stringify(await server.program.kernel.db.read('suppressions'))
      expect(stored).not.to.match(/anna|bert|carl/)
    })

    it('is of one app: the same name elsewhere has another digest', async () => {
      const { program, first } = server
      const other = await program.inTransaction((tx) => tx.apps.create({ name: 'Other' }))
      const both = [first.id, other.id]
      for (const id of both) await program.inTransaction((tx) => tx.suppressions.put(id, 'anna', null))
      const { read } = program.kernel.db
      const rows: { digest: string }[] = await read('suppressions').whereIn('app_id', both).select('digest')
      expect(rows).to.have.length(2)
      expect(new Set(rows.map(({ digest }) => digest)).size).to.equal(2)
    })
  })
})
