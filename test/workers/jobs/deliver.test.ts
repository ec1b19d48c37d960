import { expect } from 'chai'
import type { NewApp } from '../../../src/domain/apps/types.ts'
import { rowsOf } from '../../../src/platform/db/dialect.ts'
import { many } from '../../support/depth.ts'
import { eventually } from '../../support/eventually.ts'
import { type GatewayWorld, openGatewayWorld } from '../../support/gateway-world.ts'
import { type DatabaseKind, onEachDatabase } from '../../support/program.ts'
import { PROGRAMS_MS } from '../../support/programs.ts'

const ANDROIDS = many(100, { whole: 300 })
const IPHONES = ANDROIDS / 2
/** Sends of each app. More than one page of each lane has, so that turns claim pages while they record others. */
const SENDS = 3

/**
 * The delivery thread: four lanes, their pages being read, claims and leases, on as few connections as it may have. Whoever held one
 * and waited for another waited until the server ended the session (25P03), or the statement that waited for its rows (57014).
 */
onEachDatabase('two apps that send at once, each to iOS and Android', function (kind: DatabaseKind) {
  this.timeout(PROGRAMS_MS)
  let world: GatewayWorld
  let other: NewApp
  const failures: string[] = []

  before(async () => {
    world = await openGatewayWorld({
      kind,
      pool: 2,
      androids: ANDROIDS,
      iphones: IPHONES,
      settings: { 'delivery.chunk': '10', 'delivery.pageSize': '40' },
    })
    other = await world.addApp()
    world.test.program.kernel.db.read.on('query-error', (error: { code?: string; message: string }) => {
      failures.push(error.code ?? error.message)
    })
  })
  after(() => world.close())

  it('are through, everybody once, and no session or statement was ended', async () => {
    const { program, first } = world.test
    const apps = [first, other]
    const sent: { appId: number; id: number }[] = []
    for (let i = 0; i < SENDS; i++) {
      for (const of of apps) sent.push({ appId: of.id, id: await world.broadcast({}, of) })
    }
    for (const { appId, id } of sent) {
      await eventually(async () => {
        const { pending } = await program.ledger.counts(appId, id)
        return pending === 0
      }, `notification ${id} is through`)
      const counts = await program.ledger.counts(appId, id)
      expect(counts).to.include({ audience: ANDROIDS + IPHONES, accepted: ANDROIDS + IPHONES, unknown: 0 })
    }
    // The tokens of both apps are the same, and their notifications are not.
    for (const { id } of sent) expect(world.receptions(id)).to.deep.equal({ lost: 0, extra: 0 })
    // The loser of a deadlock is run again, and that is all right.
    expect(failures.filter((code) => code !== '40P01')).to.deep.equal([])
    if (kind === 'sqlite') return
    // The server's own count of the sessions that it ended, whoever heard of it.
    const ended = await program.kernel.db.read.raw(
      'SELECT sessions_fatal + sessions_killed AS ended FROM pg_stat_database WHERE datname = current_database()',
    )
    expect(rowsOf<{ ended: number }>(ended)[0]!.ended).to.equal(0)
  })
})
