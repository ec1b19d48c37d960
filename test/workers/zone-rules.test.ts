import { expect } from 'chai'
import { SOURCE } from '../../src/domain/notifications/types.ts'
import { silentLog } from '../../src/platform/log/log.ts'
import { followZoneRules } from '../../src/workers/zone-rules.ts'
import { deliverDue, fanOut, scriptedSender, withAndroids } from '../support/delivery.ts'
import { accept as acceptMessage, addTemplates, addUser } from '../support/in-app.ts'
import { parse } from '../support/notification-forms.ts'
import { onEachDatabase, openTestProgram, type TestProgram } from '../support/program.ts'

const HOUR = 3_600_000

onEachDatabase('another release of the time zone rules', (kind) => {
  let test: TestProgram
  beforeEach(async () => {
    test = await openTestProgram({ kind })
    await withAndroids(test, 2)
  })
  afterEach(() => test.close())

  const schedule = (strategy: string, sendAt = '2031-01-10 09:00') => {
    return { sendAt, strategy, pastTimes: 'ignore', ...(strategy === 'timezone' && { timezone: 'America/Winnipeg' }) }
  }
  async function accept(extra: object): Promise<number> {
    const { program, first } = test
    const body = { target: { broadcast: true }, content: { title: 'T', message: 'M' }, ...extra }
    const { notification } = await program.inTransaction((tx) =>
      tx.sends.accept(first.id, SOURCE.messages, parse.messages(body)),
    )
    return notification!.id
  }
  const report = (id: number) => test.program.notifications.report(test.first.id, id)
  /** Plans as an older release did: so many hours later. */
  async function planLater(id: number, hours: number): Promise<void> {
    await test.program.kernel.db.write(async (sql) => {
      for (const [table, key, columns] of [
        ['runs', 'notification_id', ['due_at', 'expires_at']],
        ['notifications', 'id', ['expires_at']],
      ] as const) {
        for (const column of columns)
          await sql(table)
            .where({ [key]: id })
            .increment(column, hours * HOUR)
      }
    })
  }

  it('moves what is due at one time in a zone, says so in its report, and sends it then', async () => {
    const { program, clock } = test
    const id = await accept({ schedule: schedule('timezone'), ttl: 60 })
    const right = (await report(id)).dueInstants[0]!.at
    const expiresAt = (await report(id)).notification.expiresAt
    await planLater(id, 1)
    await followZoneRules(program, silentLog, '2099a')
    const moved = await report(id)
    expect(moved.dueInstants).to.have.length(1)
    expect(moved.dueInstants[0]).to.include({ at: right, movedFrom: right + HOUR })
    expect(moved.notification.expiresAt).to.equal(expiresAt)
    expect((await program.instance.read()).zoneRules).to.equal('2099a')
    clock.set(right)
    const { sender, sent } = scriptedSender(() => ({ kind: 'accepted' }))
    await fanOut(test)
    await deliverDue(test, sender)
    expect(sent).to.have.length(2)
  })

  for (const broken of ['{', '[1]', '{"strategy":"timezone"}']) {
    it(`is followed although a schedule cannot be read: ${broken}`, async () => {
      const { program } = test
      await addTemplates(test)
      await addUser(test, 'anna')
      const { message } = await acceptMessage(test, { schedule: schedule('timezone') })
      const [unreadable, id] = [
        await accept({ schedule: schedule('timezone') }),
        await accept({ schedule: schedule('timezone') }),
      ]
      await program.kernel.db.write(async (sql) => {
        await sql('notifications').where({ id: unreadable }).update({ schedule: broken })
        await sql('in_app_messages').where({ id: message!.id }).update({ schedule: broken })
      })
      const right = (await report(id)).dueInstants[0]!.at
      await planLater(id, 1)
      await followZoneRules(program, silentLog, '2099a')
      expect((await report(id)).dueInstants[0]).to.include({ at: right, movedFrom: right + HOUR })
    })
  }

  it('leaves alone what was planned right, what is not in a zone, and what was cancelled', async () => {
    const { program } = test
    const right = await accept({ schedule: schedule('timezone') })
    const utc = await accept({ schedule: schedule('utc') })
    const local = await accept({ schedule: schedule('local') })
    const before = await Promise.all([right, utc, local].map(report))
    await followZoneRules(program, silentLog, '2099a')
    expect(await Promise.all([right, utc, local].map(report))).to.deep.equal(before)
    expect(before[0]!.dueInstants[0]!.movedFrom).to.equal(null)
  })

  it('is followed once, and again when the release changes again', async () => {
    const { program } = test
    const id = await accept({ schedule: schedule('timezone') })
    const right = (await report(id)).dueInstants[0]!.at
    await followZoneRules(program, silentLog, '2099a')
    await planLater(id, -1)
    await followZoneRules(program, silentLog, '2099a')
    expect((await report(id)).dueInstants[0]!.at).to.equal(right - HOUR)
    await followZoneRules(program, silentLog, '2099b')
    expect((await report(id)).dueInstants[0]!).to.include({ at: right, movedFrom: right - HOUR })
  })

  it('moves every one of very many', async () => {
    const { program } = test
    const ids: number[] = []
    for (let i = 0; i < 205; i++) ids.push(await accept({ schedule: schedule('timezone') }))
    const right = (await report(ids[0]!)).dueInstants[0]!.at
    await program.kernel.db.write((sql) => sql('runs').increment('due_at', HOUR))
    await followZoneRules(program, silentLog, '2099a')
    const due: { due_at: number }[] = await program.kernel.db.read('runs').select('due_at')
    expect(new Set(due.map(({ due_at: at }) => at))).to.deep.equal(new Set([right]))
  })

  it('moves in-app messages with their pushes', async () => {
    const { program } = test
    await addTemplates(test)
    await addUser(test, 'anna', { subscribed: true })
    const notification = { title: 'T', message: 'M' }
    const { message } = await acceptMessage(test, { notification, schedule: schedule('timezone') })
    const right = message!.nextAt!
    await program.kernel.db.write(async (sql) => {
      await sql('in_app_messages').increment('next_at', HOUR)
      await sql('runs').increment('due_at', HOUR)
    })
    await followZoneRules(program, silentLog, '2099a')
    expect(await program.inAppWalks.nextAt()).to.equal(right)
    const run = await program.kernel.db.read('runs').where({ kind: 'linked' }).first('due_at')
    expect(run.due_at).to.equal(right)
  })
})
