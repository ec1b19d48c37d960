import { expect } from 'chai'
import { onEachDatabase } from '../support/app.ts'
import { type Appliance, androidToken, openAppliance } from '../support/appliance.ts'

onEachDatabase('the frequency cap', function (kind) {
  const androids = 600
  let one: Appliance
  before(async function () {
    this.timeout(300_000)
    one = await openAppliance({
      kind,
      androids,
      environment: { APPSVC_DELIVERY_CHUNK: '20', APPSVC_DELIVERY_PAGE_SIZE: '100', APPSVC_WORKERS_DELIVER: '3' },
    })
    await one.inside((app) =>
      app.inTransaction((tx) => tx.apps.restrain(one.first.id, { cap: { count: 1, hours: 24 } })),
    )
    await one.start()
  })
  after(() => one.close())

  it('is exact when several threads send three broadcasts at once: everybody gets one', async function () {
    this.timeout(300_000)
    const ids = await Promise.all([one.broadcast(), one.broadcast(), one.broadcast()])
    const counts = (await Promise.all(ids.map((id) => one.finished(id)))).map((report) => report.counts)
    const got = Array.from({ length: androids }, (_, i) =>
      ids.reduce((sum, id) => sum + one.sandbox.countOf(androidToken(i), String(id)), 0),
    )
    expect(got.filter((times) => times !== 1)).to.deep.equal([])
    expect(counts.reduce((sum, { accepted }) => sum + accepted, 0)).to.equal(androids)
    expect(counts.reduce((sum, { skipped }) => sum + skipped, 0)).to.equal(2 * androids)
  })
})
