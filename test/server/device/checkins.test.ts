import { expect } from 'chai'
import { collect } from '../../../src/platform/concurrency/chunks.ts'
import { aside } from '../../support/aside.ts'
import { openTestServer, type TestServer } from '../../support/http.ts'
import { itOfShape, onEachDatabase, onPostgres, openTestProgram, type TestProgram } from '../../support/program.ts'

interface Contact {
  id: number
  checkedOutAt: string | null
}
interface Checkin {
  id: number
  checkedOutAt: string | null
  contacts: Contact[]
}

/** 16 bytes in base64 with all that must be escaped in a query; Android leaves the padding out. */
const KEY = '+/8AAQIDBAUGBwgJCgsMDQ=='
const BODY = {
  location: 'cafe 1',
  partySize: 3,
  contacts: [
    { lastName: 'Kelly', firstName: 'Anna', emailAddress: 'a@example.com', smsNumber: '+44', meta: { table: '4' } },
    { lastName: 'Łuk' },
  ],
  tz: 'Europe/London',
  deviceKey: KEY,
}

onEachDatabase('check-ins of devices', (kind) => {
  const itAnswers = itOfShape(kind)
  let test: TestServer
  beforeEach(async () => {
    test = await openTestServer({ kind })
  })
  afterEach(() => test.close())

  /** Calls as the Swift SDK does, with its misspelt header. */
  const call = (method: string, path: string, body?: unknown) =>
    test.call(method, path, { auth: 'device', body, headers: { accept: 'appliction/json' } })
  const checkIn = async (user = 'anna', body: object = BODY) =>
    (await call('POST', `/v1/users/${encodeURIComponent(user)}/checkins`, body)).body as Checkin
  const open = async (user = 'anna', key = encodeURIComponent(KEY)) =>
    (await call('GET', `/crm/v1/users/${encodeURIComponent(user)}/open-checkins?deviceKey=${key}`)).body as Checkin[]
  const query = `?deviceKey=${encodeURIComponent(KEY)}`

  it('are made, listed, and ended for one person and for all', async () => {
    const answer = await call('POST', '/v1/users/anna/checkins', BODY)
    expect(answer.status).to.equal(201)
    expect(answer.headers.get('access-control-allow-origin')).to.equal('*')
    const made = answer.body as Checkin
    const [first, second] = made.contacts as [Contact, Contact]
    expect(made).to.deep.equal({
      id: made.id,
      location: 'cafe 1',
      partySize: 3,
      checkedInAt: '2026-03-01T12:00:00+0000',
      checkedOutAt: null,
      contacts: [
        { ...BODY.contacts[0], id: first.id, checkinId: made.id, checkedOutAt: null },
        {
          id: second.id,
          checkinId: made.id,
          lastName: 'Łuk',
          firstName: null,
          emailAddress: null,
          smsNumber: null,
          meta: null,
          checkedOutAt: null,
        },
      ],
    })
    expect(await open()).to.deep.equal([made])

    test.clock.advance(60_000)
    const left = await call('DELETE', `/v1/users/anna/checkins/${made.id}/contacts/${first.id}${query}`)
    expect([left.status, left.body]).to.deep.equal([
      200,
      { ...made, contacts: [{ ...first, checkedOutAt: '2026-03-01T12:01:00+0000' }, second] },
    ])
    expect(await open()).to.deep.equal([left.body])

    test.clock.advance(60_000)
    const over = await call('DELETE', `/v1/users/anna/checkins/${made.id}${query}`)
    const at = '2026-03-01T12:02:00+0000'
    expect([over.status, over.body]).to.deep.equal([
      200,
      {
        ...made,
        checkedOutAt: at,
        contacts: [
          { ...first, checkedOutAt: '2026-03-01T12:01:00+0000' },
          { ...second, checkedOutAt: at },
        ],
      },
    ])
    expect(await open()).to.deep.equal([])
    test.clock.advance(60_000)
    expect((await call('DELETE', `/v1/users/anna/checkins/${made.id}${query}`)).body).to.deep.equal(over.body)
  })

  it('are closed with the last person who leaves', async () => {
    const { id, contacts } = await checkIn()
    for (const contact of contacts) await call('DELETE', `/v1/users/anna/checkins/${id}/contacts/${contact.id}${query}`)
    expect(await open()).to.deep.equal([])
    expect((await test.program.checkins.list(test.first.id, undefined, 10)).checkins[0]!.checkedOutAt).to.equal(
      test.clock.now(),
    )
  })

  itAnswers('belong to the device that has the key, however the key came through the address', async () => {
    await checkIn()
    for (const key of [encodeURIComponent(KEY.slice(0, -2)), KEY.replaceAll('=', '%3D'), '%20/8AAQIDBAUGBwgJCgsMDQ']) {
      expect(await open('anna', key), key).to.have.length(1)
    }
    for (const key of ['', 'other', encodeURIComponent(KEY.toLowerCase())])
      expect(await open('anna', key)).to.deep.equal([])
  })

  itAnswers('belong to a user of any name', async () => {
    for (const user of ['a/b+c@d é %2F', '3F0C1F2E-8F5E-4B0B-9A57-0C5F3C5B7F10', "~-._!*'()"]) {
      const made = await checkIn(user)
      expect(await open(user), user).to.deep.equal([made])
    }
    expect(await open('a')).to.deep.equal([])
    expect(await open('a%00b')).to.deep.equal([])
  })

  itAnswers('of somebody else, and those that there are not, are 404', async () => {
    const { id, contacts } = await checkIn()
    const other = await checkIn('bob')
    for (const path of [
      `bob/checkins/${id}${query}`,
      `anna/checkins/${id}?deviceKey=other`,
      `anna/checkins/${id}?deviceKey=`,
      `anna/checkins/999${query}`,
      `anna/checkins/x${query}`,
      `anna/checkins/${id}/contacts/999${query}`,
      `anna/checkins/${id}/contacts/${other.contacts[0]!.id}${query}`,
      `bob/checkins/${id}/contacts/${contacts[0]!.id}${query}`,
    ]) {
      expect((await call('DELETE', `/v1/users/${path}`)).status, path).to.equal(404)
    }
    expect(await open()).to.have.length(1)
    expect((await call('DELETE', `/v1/users/anna/checkins/${id}`)).status).to.equal(422)
    expect((await call('GET', '/v1/users/anna/open-checkins')).status).to.equal(422)
  })

  itAnswers('count as many people as are named, at least', async () => {
    for (const partySize of [undefined, null, 0, 1]) {
      expect(await checkIn('anna', { ...BODY, partySize })).to.include({ partySize: 2 })
    }
  })

  itAnswers('of the wrong shape are refused, naming every wrong field', async () => {
    const answer = await call('POST', '/v1/users/anna/checkins', { location: 5, contacts: [{}] })
    expect(answer.status).to.equal(422)
    expect((answer.body as { errors: object }).errors).to.have.all.keys('location', 'contacts[0].lastName', 'deviceKey')
  })

  it('need the secret key, and are forgotten after their time with the people in them', async () => {
    expect((await test.call('POST', '/v1/users/anna/checkins', { body: BODY })).status).to.equal(401)
    await checkIn()
    test.clock.advance(30 * 86_400_000 + 1)
    await checkIn()
    expect(await test.program.inTransaction((tx) => tx.checkins.forget(30, 500))).to.equal(1)
    expect((await test.program.checkins.list(test.first.id, undefined, 10)).checkins).to.have.length(1)
    const [left] = await test.program.kernel.db.read('checkin_contacts').count({ n: '*' })
    expect(Number(left!.n)).to.equal(2)
  })
})

onPostgres('check-ins that end at the same moment', () => {
  let test: TestProgram
  before(async () => {
    test = await openTestProgram({ kind: 'postgres' })
  })
  after(() => test.close())

  it('are closed, although neither of the last two sees the other gone before the commit', async () => {
    const { program, first } = test
    const of = { appId: first.id, userIdentifier: 'anna', deviceKey: KEY }
    const people = ['Kelly', 'Łuk'].map((lastName) => ({
      lastName,
      firstName: null,
      emailAddress: null,
      smsNumber: null,
      meta: null,
    }))
    const { id, contacts } = await program.inTransaction(({ checkins }) =>
      checkins.checkIn(first.id, 'anna', { ...BODY, timezone: null, contacts: people }),
    )
    const leave = (contact: number, before: () => Promise<void>) =>
      program.inTransaction(async ({ checkins }) => {
        await checkins.checkOutContact(of, id, contacts[contact]!.id)
        await before()
      })
    let second: Promise<void> = Promise.resolve()
    await leave(0, async () => {
      let settled = false
      // Not within the transaction of the first one, as the database sees to.
      second = aside(() => leave(1, async () => {})).finally(() => {
        settled = true
      })
      const waiting = () =>
        aside(() =>
          program.kernel.db.read.raw(
            `SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`,
          ),
        )
      while (!settled && (await waiting()).rows.length === 0);
    })
    await second
    expect(await collect(program.checkins.open(of))).to.deep.equal([])
  })
})
