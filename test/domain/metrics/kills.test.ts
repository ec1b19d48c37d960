import { expect } from 'chai'
import type { Areas } from '../../../src/program.ts'
import { followUntil } from '../../support/following.ts'
import type { Death } from '../../support/mortal.ts'
import { onEachDatabase, openTestProgram, type TestProgram } from '../../support/program.ts'

const EVENTS = 2100
const USERS = 7
const KILLS: Death[] = ['follow.claimed:1', 'follow.read:2', 'follow.applied:2', 'follow.stored:1']

onEachDatabase('metrics, when their worker is killed', (kind) => {
  let test: TestProgram
  before(async () => {
    test = await openTestProgram({ kind })
  })
  after(() => test.close())

  it('while one reads what is older equals a recount', async () => {
    const { program } = test
    const second = await program.inTransaction((tx) => tx.apps.create({ name: 'Second' }))
    const events = Array.from({ length: EVENTS }, (_, n) => ({
      type: n % 3 === 0 ? 'seen' : 'paid',
      userIdentifier: `user-${n % USERS}`,
      data: null,
    }))
    await program.inTransaction(async (tx) => {
      for (let i = 0; i < USERS; i++) await tx.crm.putAttributes(second.id, `user-${i}`, {})
      await tx.events.recordAll(second.id, events)
    })
    await program.inTransaction(async (tx) => {
      await tx.metrics.put(second.id, 'visits', { event: 'seen', where: null, value: null }, { isBackfilled: true })
    })
    const reading = async (of: Areas) => (await of.metrics.follows<Areas>()).filter(({ until }) => until)
    for (const death of [...KILLS, undefined]) await followUntil(test, death, reading)
    const counts = await program.kernel.db.read('metric_days').where({ app_id: second.id }).pluck('count')
    expect([counts.length, counts.reduce((all, one) => all + Number(one), 0)]).to.deep.equal([USERS, EVENTS / 3])
    expect((await program.metrics.get(second.id, 'visits')).backfilled).to.equal(1)
  })

  it('at any failpoint equal a recount, to the last digit', async () => {
    const { program, first } = test
    const names = Array.from({ length: USERS }, (_, i) => `user-${i}`)
    await program.inTransaction(async (tx) => {
      for (const name of names) await tx.crm.putAttributes(first.id, name, {})
      await tx.metrics.put(first.id, 'revenue', { event: 'paid', where: null, value: 'data.amount' })
      await tx.metrics.put(first.id, 'visits', { event: 'seen', where: null, value: null })
    })
    const events = Array.from({ length: EVENTS }, (_, n) => ({
      type: n % 3 === 0 ? 'seen' : 'paid',
      userIdentifier: names[n % USERS]!,
      data: { amount: (n % 100) / 10 },
    }))
    await program.inTransaction((tx) => tx.events.recordAll(first.id, events))

    for (const death of [...KILLS, undefined]) await followUntil(test, death, (of) => of.metrics.follows<Areas>())

    const rows: { identifier: string; name: string; count: number; sum_millionths: number }[] = await program.kernel.db
      .read('metric_days')
      .join('users', 'users.id', 'metric_days.user_id')
      .join('metrics', 'metrics.id', 'metric_days.metric_id')
      .where({ 'users.app_id': first.id })
      .orderBy(['identifier', 'name'])
      .select('identifier', 'name', 'count', 'sum_millionths')
    const counted = rows.map((row) => [row.identifier, row.name, row.count, row.sum_millionths])
    const recounted = names.flatMap((name) => {
      const own = events.filter(({ userIdentifier }) => userIdentifier === name)
      const paid = own.filter(({ type }) => type === 'paid')
      const sum = paid.reduce((all, { data }) => all + Math.round(data.amount * 10), 0) * 100_000
      return [
        [name, 'revenue', paid.length, sum],
        [name, 'visits', own.length - paid.length, 0],
      ]
    })
    expect(counted).to.deep.equal(recounted)
  })
})
