import { expect } from 'chai'
import { migrations } from '../../migrations/index.ts'
import type { Outcome } from '../../src/domain/gateways/gateway.ts'
import { SOURCE } from '../../src/domain/notifications/types.ts'
import { migrateDown, migrateUp } from '../../src/platform/db/migrate.ts'
import { onEachDatabase, openTestApp, type TestApp } from '../support/app.ts'
import { broadcast, deliverDue, fanOut, scriptedSender, withAndroids } from '../support/delivery.ts'
import { parse } from '../support/notification-forms.ts'

const NAME = '0060_decided_when_sent'
const STEPS = Object.keys(migrations).length - Object.keys(migrations).indexOf(NAME)
const TABLES = ['pages', 'notifications', 'runs', 'instance', 'delivery_failures', 'notification_user_meta'] as const
const NEW = new Set(['by_user', 'one_try', 'moved_from', 'zone_rules'])
const HOUR = 3_600_000

onEachDatabase('the step that lets a push be decided when it is sent', (kind) => {
  let test: TestApp
  beforeEach(async () => {
    test = await openTestApp({ kind, settings: { 'delivery.pageSize': '2' } })
    await withAndroids(test, 5)
  })
  afterEach(() => test.close())

  const rows = async () => {
    const found: Record<string, object[]> = {}
    for (const table of TABLES) {
      const all: Record<string, unknown>[] = await test.app.kernel.db.read(table).orderBy(1 as never)
      found[table] = all.map((row) => Object.fromEntries(Object.entries(row).filter(([name]) => !NEW.has(name))))
    }
    return found
  }

  it('keeps every row up and down, and what was queued before it is sent after it', async () => {
    const { app, clock, first } = test
    const { db } = app.kernel
    const refused: Outcome = { kind: 'token_dead', reason: 'UNREGISTERED' }
    const sent = await broadcast(test)
    await deliverDue(test, scriptedSender((token) => (token === 'token-4' ? refused : { kind: 'accepted' })).sender)
    const queued = await broadcast(test)
    const sendAt = new Date(clock.now() + HOUR).toISOString().slice(0, 16).replace('T', ' ')
    const body = {
      target: { installIds: ['install-0', 'install-1', 'install-2'] },
      content: { title: 'T', message: 'M' },
      schedule: { sendAt, strategy: 'utc', pastTimes: 'ignore' },
    }
    const scheduled = await app.inTransaction((tx) => tx.sends.accept(first.id, SOURCE.messages, parse.messages(body)))
    const before = await rows()
    expect(before.pages).to.have.lengthOf(5)

    expect((await migrateDown(db, migrations, STEPS)).at(-1)).to.equal(NAME)
    expect(await rows()).to.deep.equal(before)
    expect((await migrateUp(db, migrations))[0]).to.equal(NAME)
    expect(await rows()).to.deep.equal(before)

    clock.advance(HOUR)
    await fanOut(test)
    await deliverDue(test, scriptedSender(() => ({ kind: 'accepted' })).sender)
    const counts = (id: number) => app.ledger.counts(first.id, id)
    expect(await counts(sent)).to.include({ audience: 5, accepted: 4, failed: 1 })
    expect(await counts(queued)).to.include({ audience: 4, accepted: 4, pending: 0 })
    expect(await counts(scheduled.notification!.id)).to.include({ audience: 3, accepted: 3, expired: 0 })
  })
})
