import { expect } from 'chai'
import { deliver } from '../../src/workers/jobs/deliver.ts'
import { createWake } from '../../src/workers/jobs/job.ts'
import { type Appliance, androidToken, openAppliance } from '../support/appliance.ts'
import { reaches } from '../support/depth.ts'
import { eventually } from '../support/eventually.ts'
import { openGatewayWorld } from '../support/gateway-world.ts'
import { onEachDatabase } from '../support/program.ts'
import { PROGRAMS_MS } from '../support/programs.ts'

/** Expects of the three sends of a test that everybody got one of them, by their counts and by the sandbox. */
function expectOneEach(
  androids: number,
  counts: { accepted: number; skipped: number }[],
  times: (token: string) => number,
) {
  const got = Array.from({ length: androids }, (_, i) => times(androidToken(i)))
  expect(got.filter((count) => count !== 1)).to.deep.equal([])
  expect(counts.reduce((sum, { accepted }) => sum + accepted, 0)).to.equal(androids)
  expect(counts.reduce((sum, { skipped }) => sum + skipped, 0)).to.equal(2 * androids)
}

onEachDatabase('the frequency cap', (kind) => {
  it('is exact when several workers send three broadcasts at once: everybody gets one', async () => {
    const androids = 240
    const settings = { 'delivery.chunk': '20', 'delivery.pageSize': '40' }
    const world = await openGatewayWorld({ kind, androids, byHand: true, settings, pool: 12 })
    const { program, first } = world.test
    await program.inTransaction((tx) => tx.apps.restrain(first.id, { cap: { count: 1, hours: 24 } }))
    const ids = [await world.broadcast(), await world.broadcast(), await world.broadcast()]
    const stop = new AbortController()
    const working = ['one', 'two', 'three'].map((owner) =>
      deliver({ program, owner, signal: stop.signal, wake: createWake(), tick() {} }),
    )
    try {
      const counts = () => Promise.all(ids.map((id) => world.counts(id)))
      await eventually(async () => (await counts()).every(({ pending }) => pending === 0), 'all are through')
      expectOneEach(androids, await counts(), (token) =>
        ids.reduce((sum, id) => sum + world.sandbox.countOf(token, String(id)), 0),
      )
    } finally {
      stop.abort()
      await Promise.all(working)
      await world.close()
    }
  })

  // With threads, which also take turns at writing.
  if (!reaches('whole')) return
  describe('of a server', function () {
    this.timeout(PROGRAMS_MS)
    const androids = 600
    let one: Appliance
    before(async () => {
      one = await openAppliance({
        kind,
        androids,
        environment: { APPSVC_DELIVERY_CHUNK: '20', APPSVC_DELIVERY_PAGE_SIZE: '100', APPSVC_WORKERS_DELIVER: '3' },
      })
      await one.inside((program) =>
        program.inTransaction((tx) => tx.apps.restrain(one.first.id, { cap: { count: 1, hours: 24 } })),
      )
      await one.start()
    })
    after(() => one.close())

    it('is exact when several threads send three broadcasts at once: everybody gets one', async () => {
      const ids = await Promise.all([one.broadcast(), one.broadcast(), one.broadcast()])
      const counts = (await Promise.all(ids.map((id) => one.finished(id)))).map((report) => report.counts)
      expectOneEach(androids, counts, (token) =>
        ids.reduce((sum, id) => sum + one.sandbox.countOf(token, String(id)), 0),
      )
    })
  })
})
