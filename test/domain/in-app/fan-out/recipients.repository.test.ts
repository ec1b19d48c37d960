import { expect } from 'chai'
import { rowsOf } from '../../../../src/platform/db/dialect.ts'
import { accept, addTemplates, handOut } from '../../../support/in-app.ts'
import { onEachDatabase, openTestProgram, type TestProgram } from '../../../support/program.ts'

/** Users of each of two apps; every third of them has no in-app messages. */
const USERS = 6000

onEachDatabase('looking for the recipients of in-app messages', (kind) => {
  let test: TestProgram

  before(async () => {
    test = await openTestProgram({ kind })
    await addTemplates(test)
    const other = await test.program.inTransaction((tx) => tx.apps.create({ name: 'Second' }))
    await test.program.kernel.db.write(async (sql) => {
      for (const id of [other.id, test.first.id]) {
        await sql.raw(
          `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${USERS})
           INSERT INTO users (app_id, identifier, anonymous, listed, install_count, in_app_enabled,
             first_active, last_active, created_at, updated_at)
           SELECT ${id}, 'user-' || i, FALSE, TRUE, 1, i % 3 <> 0, 0, 0, 0, 0 FROM n`,
        )
      }
      await sql.raw(
        `INSERT INTO installs (app_id, install_id, user_id, platform, token, subscribed, timezone, last_active, created_at, updated_at)
         SELECT app_id, 'install-' || id, id, 2, 'token-' || id, TRUE, CASE id % 2 WHEN 0 THEN 'Asia/Tokyo' ELSE 'Europe/Berlin' END, 0, 0, 0 FROM users`,
      )
    })
    // Not VACUUM ANALYZE: the planner must not rely on what was never cleaned up.
    await test.program.kernel.db.write((sql) => sql.raw('ANALYZE'))
  })
  after(() => test.close())

  it('walks the app’s users by an index without users of other apps, and looks the rest up by keys', async () => {
    const { program, first, clock } = test
    await program.inTransaction((tx) =>
      tx.channels.create(first.id, { uuid: 'news', name: 'News', showInPortal: false, meta: null }),
    )
    const said = new Map<string, { sql: string; bindings: readonly unknown[] }>()
    const note = (query: { sql: string; bindings: readonly unknown[] }) => void said.set(query.sql.slice(0, 240), query)
    const { read } = program.kernel.db
    read.on('query', note)
    const notification = { title: 'T', message: 'M' }
    await accept(test, { notification, target: { broadcast: true, excludeInstallIds: ['install-1'] } })
    await accept(test, { target: { channelUuids: ['news'] } })
    await accept(test, { target: { userIds: ['user-1'], installIds: [`install-${USERS + 1}`] } })
    await accept(test, { schedule: { sendAt: '2026-03-02', strategy: 'intelligent', pastTimes: 'nextDay' } })
    await accept(test, { schedule: { sendAt: '2026-03-02 18:00', strategy: 'local', pastTimes: 'nextDay' } })
    await handOut(test)
    // First where it comes early, then everywhere.
    for (const hours of [25, 35]) {
      clock.advance(hours * 3_600_000)
      await handOut(test)
    }
    read.removeListener('query', note)

    const walks = [...said.values()].filter(({ sql }) => /FROM "?`?(users|installs|user_messages)/i.test(sql))
    expect(walks.length).to.be.greaterThan(8)
    expect(walks.filter(({ sql }) => /preferred_hour AS hour/.test(sql))).to.have.length(2)
    for (const { sql, bindings } of walks) {
      const text = sql.replace(/\$\d+/g, '?')
      if (kind === 'sqlite') {
        const steps = rowsOf<{ detail: string }>(await read.raw(`EXPLAIN QUERY PLAN ${text}`, bindings as never))
        for (const { detail } of steps) {
          expect(detail, text).not.to.match(/SCAN (users|candidates|installs|user_messages)/)
          if (/preferred_hour AS hour/.test(text))
            expect(detail, text).to.include('COVERING INDEX installs_whereabouts')
          if (/ id > \?/.test(text)) expect(detail, text).not.to.match(/(users|candidates) USING INTEGER PRIMARY KEY/)
        }
      } else {
        const lines = rowsOf<{ 'QUERY PLAN': string }>(await read.raw(`EXPLAIN ${text}`, bindings as never))
        for (const line of lines) {
          expect(line['QUERY PLAN'], text).not.to.match(/Seq Scan on (users|installs|user_messages)/)
        }
      }
    }
  })
})
