import { expect } from 'chai'
import { stepMessage } from '../../src/domain/in-app/fan-out/step.ts'
import { STATUS } from '../../src/domain/in-app/types.ts'
import { rowsOf } from '../../src/platform/db/dialect.ts'
import { handOut as handOutJob } from '../../src/workers/jobs/in-app.ts'
import { deliverDue, fanOut, scriptedSender, withAndroids } from '../support/delivery.ts'
import { erase } from '../support/erasures.ts'
import { accept, addTemplates, addUser, handOut } from '../support/in-app.ts'
import { workUntil } from '../support/mortal.ts'
import { onEachDatabase, openTestProgram, type TestProgram } from '../support/program.ts'

/** More than a step of the fan-out takes. */
const USERS = 1100

onEachDatabase('an in-app message with a push', (kind) => {
  let test: TestProgram
  before(async () => {
    test = await openTestProgram({ kind })
    await withAndroids(test, 0)
    await addTemplates(test)
    await addUser(test, 'user-0', { subscribed: true })
    await multiply()
  })
  after(() => test.close())

  /** Makes more users of the first, each with an install like his. */
  async function multiply(): Promise<void> {
    const { read, write } = test.program.kernel.db
    const user = await read('users').where({ identifier: 'user-0' }).first()
    const install = await read('installs').where({ user_id: user.id }).first()
    const more = Array.from({ length: USERS - 1 }, (_, i) => i + 1)
    await write(async (sql) => {
      for (let i = 0; i < more.length; i += 100) {
        const some = more.slice(i, i + 100)
        await sql('users').insert(some.map((n) => ({ ...user, id: user.id + n, identifier: `user-${n}` })))
        await sql('installs').insert(
          some.map((n) => ({
            ...install,
            id: install.id + n,
            user_id: user.id + n,
            install_id: `phone-${n}`,
            token: `token-${n}`,
          })),
        )
      }
    })
  }

  it('is given to everybody once, and announced after it, wherever its program ends meanwhile', async () => {
    const { program, first } = test
    const { id } = (await accept(test, { notification: { title: 'T', message: 'M' } })).message!
    for (const death of ['inapp.read:1', 'inapp.stored:1', 'inapp.read:1'] as const)
      await workUntil(test, death, [handOutJob])
    expect((await program.inApp.get(first.id, id)).recipients).to.be.within(1, USERS - 1)
    await handOut(test)
    const message = await program.inApp.get(first.id, id)
    expect(message).to.include({ status: STATUS.sent, recipients: USERS, nextAt: null })
    expect(await program.kernel.db.read('user_messages').where({ message_id: id }).pluck('user_id')).to.have.length(
      USERS,
    )
    const { sender, sent } = scriptedSender(() => ({ kind: 'accepted' }))
    await fanOut(test)
    await deliverDue(test, sender, { chunk: 500 })
    expect(await program.ledger.counts(first.id, message.notificationId!)).to.include({
      audience: USERS,
      accepted: USERS,
      pending: 0,
      failed: 0,
    })
    expect(new Set(sent).size).to.equal(USERS)
    expect(sent).to.have.length(USERS)
  })

  it('says one thing to each user, whatever changes about them while its program ends', async () => {
    const { program, first } = test
    const { read, write } = program.kernel.db
    const nameAll = (name: string) =>
      write((sql) =>
        sql('users')
          .where({ app_id: first.id })
          .update({ attributes: JSON.stringify({ name }) }),
      )
    const texts = async () =>
      new Map<number, string>(
        (await read('user_messages').where({ message_id: id }).select('user_id', 'texts')).map((row) => [
          row.user_id,
          row.texts,
        ]),
      )
    await nameAll('Ann')
    const body = { template: 'hello', personalize: {}, content: { Name: '{{ user.attributes.name }}' } }
    const notification = { title: 'For {{ user.attributes.name }}', message: 'M' }
    const { id } = (await accept(test, { ...body, notification })).message!
    await workUntil(test, 'inapp.stored:1', [handOutJob])
    const before = await texts()
    expect(before.size).to.be.within(1, USERS - 1)
    await nameAll('Eve')
    await workUntil(test, 'inapp.read:1', [handOutJob])
    await handOut(test)
    const after = await texts()
    expect(after.size).to.equal(USERS)
    for (const [user, text] of after) {
      expect(text).to.equal(JSON.stringify({ 'content.Name': before.has(user) ? 'Ann' : 'Eve' }))
    }
  })

  it('leaves no text of users who are erased meanwhile, and reaches the others once', async () => {
    const { program, first } = test
    const { read, write } = program.kernel.db
    // The pushes of other tests are out of the way.
    await fanOut(test)
    await deliverDue(test, scriptedSender(() => ({ kind: 'accepted' })).sender, { chunk: 500 })
    const users: { id: number; identifier: string }[] = await read('users')
      .where({ app_id: first.id })
      .select('id', 'identifier')
    const secretOf = (identifier: string) => `Secret of ${identifier}.`
    await write(async (sql) => {
      for (const { id, identifier } of users)
        await sql('users')
          .where({ id })
          .update({ attributes: JSON.stringify({ name: secretOf(identifier) }) })
    })
    const body = { template: 'hello', personalize: {}, content: { Name: '{{ user.attributes.name }}' } }
    const notification = { title: 'For {{ user.attributes.name }}', message: 'M' }
    const { id } = (await accept(test, { ...body, notification })).message!
    const order = users.toSorted((a, b) => a.id - b.id).map(({ identifier }) => identifier)
    const erased: string[] = []
    const eraseAt = async (place: number) => {
      const name = order.at(place)!
      expect(await erase(test, name), name).to.equal('done')
      erased.push(name)
    }

    await workUntil(test, 'inapp.stored:1', [handOutJob])
    // One who may have it, one whom the next step reads, and one who is far away.
    for (const place of [0, -40, -1]) await eraseAt(place)
    await workUntil(test, 'inapp.read:1', [handOutJob])
    await eraseAt(1)
    // Between the reading of a step and the moment at which it is stored: nothing of the step is, and a worker takes it again.
    const meanwhile = [2, -2, -41]
    const inTransaction: typeof program.inTransaction = async (work, ...rest) => {
      for (const place of meanwhile.splice(0)) await eraseAt(place)
      return program.inTransaction(work, ...rest)
    }
    const stored = stepMessage({ read: program, inTransaction }, id)
    await stored.then(expect.fail, (error: Error) =>
      expect(error.message, 'an error is logged')
        .to.match(/foreign key/i)
        .and.not.include('Secret'),
    )
    expect(meanwhile).to.deep.equal([])
    await handOut(test)
    const { sender, sent } = scriptedSender(() => ({ kind: 'accepted' }))
    await fanOut(test)
    await eraseAt(3)
    await deliverDue(test, sender, { chunk: 500 })

    const left = users.filter(({ identifier }) => !erased.includes(identifier))
    const kept: { user_id: number; texts: string }[] = await read('user_messages')
      .where({ message_id: id })
      .orderBy('user_id')
      .select('user_id', 'texts')
    expect(kept.map(({ user_id, texts }) => [user_id, JSON.parse(texts)])).to.deep.equal(
      left
        .toSorted((a, b) => a.id - b.id)
        .map(({ id: user, identifier }) => [user, { 'content.Name': secretOf(identifier) }]),
    )
    expect(sent).to.have.length(left.length)
    expect(new Set(sent).size).to.equal(left.length)
    for (const table of await tables()) {
      const rows = JSON.stringify(await read(table))
      for (const name of erased) expect(rows.includes(secretOf(name)), `${table} names ${name}`).to.equal(false)
    }
  })

  /** Every table of the database. */
  async function tables(): Promise<string[]> {
    const query =
      kind === 'sqlite'
        ? `SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%' AND name NOT LIKE 'geofence_boxes%'`
        : `SELECT table_name AS name FROM information_schema.tables WHERE table_schema = 'public'`
    return rowsOf<{ name: string }>(await test.program.kernel.db.read.raw(query)).map(({ name }) => name)
  }
})
