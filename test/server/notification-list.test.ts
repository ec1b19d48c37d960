import { expect } from 'chai'
import { STATUS } from '../../src/domain/notifications/types.ts'
import { openTestServer, type TestServer } from '../support/http.ts'
import { addInstall } from '../support/installs.ts'
import { onEachDatabase } from '../support/program.ts'

interface Page {
  notifications: { id: number; status: number }[]
  next: number | null
}

const DAY = 86_400_000

onEachDatabase('the list of notifications', (kind) => {
  let test: TestServer
  /** One a day from 1 March 2026: sent, failed, sent, failed ... */
  const ids: number[] = []

  before(async () => {
    test = await openTestServer({ kind })
    await addInstall(test.program, test.first.id, 'i1')
    for (let i = 0; i < 6; i++) {
      const body = { target: { broadcast: true }, content: { title: `T ${i}`, message: 'M' } }
      const { notification } = (await test.call('POST', '/messages/v2/notifications', { body })).body as {
        notification: { id: number }
      }
      ids.push(notification.id)
      const status = i % 2 === 0 ? STATUS.sent : STATUS.failed
      await test.program.kernel.db.write((trx) =>
        trx('notifications').where({ id: notification.id }).update({ status }),
      )
      test.clock.advance(DAY)
    }
    // The list is in the order of time, which that of the numbers need not be.
    const [day0, day1] = [ids[0]!, ids[1]!]
    ids.splice(0, 2, day1, day0)
    await test.program.kernel.db.write(async (trx) => {
      const of = await trx('notifications').whereIn('id', [day0, day1]).orderBy('id').select('created_at', 'status')
      await trx('notifications').where({ id: day1 }).update(of[0])
      await trx('notifications').where({ id: day0 }).update(of[1])
    })
  })
  after(() => test.close())

  const list = async (query: string) => {
    const { status, body } = await test.call('GET', `/messages/v2/notifications?${query}`)
    expect(status, JSON.stringify(body)).to.equal(200)
    return body as Page
  }
  const numbered = (...days: number[]) => days.map((day) => ids[day])

  for (const [query, days] of [
    ['', [5, 4, 3, 2, 1, 0]],
    ['status=sent', [4, 2, 0]],
    ['status=3', [4, 2, 0]],
    ['status=failed', [5, 3, 1]],
    ['status=cancelled', []],
    ['createdSince=2026-03-04', [5, 4, 3]],
    ['createdBefore=2026-03-03T12:00:00Z', [1, 0]],
    ['createdSince=2026-03-02T13:00:00%2B01:00&createdBefore=2026-03-05', [3, 2, 1]],
    ['createdSince=2026-03-02&status=sent', [4, 2]],
    ['q=T%20', [5, 4, 3, 2, 1, 0]],
    ['q=t%204', [4]],
    ['q=t&status=failed', [5, 3, 1]],
    ['q=message', []],
  ] as const) {
    it(`${query || 'without a filter'} has days ${days.join(', ') || 'none'}, also page by page`, async () => {
      expect((await list(query)).notifications.map(({ id }) => id)).to.deep.equal(numbered(...days))
      const paged: number[] = []
      for (let after: number | null | undefined; after !== null; ) {
        const page = await list(`${query}&limit=2${after === undefined ? '' : `&after=${after}`}`)
        paged.push(...page.notifications.map(({ id }) => id))
        after = page.next
      }
      expect(paged).to.deep.equal(numbered(...days))
    })
  }

  it('refuses a status and times that there are not, and a place that is gone', async () => {
    for (const [query, key] of [
      ['status=unknown', 'status'],
      ['status=9', 'status'],
      ['createdSince=yesterday', 'createdSince'],
      ['createdBefore=2026-03-01T10:00', 'createdBefore'],
      ['status=sent&after=999999', 'after'],
    ] as const) {
      const { status, body } = await test.call('GET', `/messages/v2/notifications?${query}`)
      expect(status, query).to.equal(422)
      expect((body as { errors: object }).errors, query).to.have.all.keys(key)
    }
  })
})
