import { expect } from 'chai'
import { firstLine, killAll, start } from '../cli/cli.ts'
import {
  type Appliance,
  endPauses,
  openAppliance,
  type Report,
  receptions,
  tokensOf,
  trouble,
} from '../support/appliance.ts'
import { eventually } from '../support/eventually.ts'
import { basic } from '../support/http.ts'
import { onPostgres } from '../support/program.ts'
import { PROGRAMS_MS } from '../support/programs.ts'

const ANDROIDS = 400
const CHUNK = 50
const LEASE_MS = 30_000

onPostgres('a node that is killed', function () {
  this.timeout(PROGRAMS_MS)
  let one: Appliance
  before(async () => {
    const environment = {
      APPSVC_DELIVERY_CHUNK: String(CHUNK),
      APPSVC_DELIVERY_PAGE_SIZE: '100',
      APPSVC_WORKERS_DELIVER: '1',
    }
    one = await openAppliance({ androids: ANDROIDS, kind: 'postgres', environment })
  })
  after(async () => {
    killAll()
    await one.close()
  })

  /** Frees what the killed node had claimed: its lease ends. Time passes for it alone. */
  async function endLeases(node: string): Promise<void> {
    await one.inside(({ kernel: { db } }) =>
      db.write((trx) =>
        trx('pages').where({ state: 'claimed' }).where('owner', 'like', `${node}/%`).decrement('lease_until', LEASE_MS),
      ),
    )
  }

  it('is replaced by those that live: nobody is lost, and only what was in flight is sent again', async () => {
    await one.start()
    const ours = (await one.inside((program) => program.nodes.list()))[0]!.id
    const env = { PATH: process.env.PATH, ...one.environment }
    const argv = ['serve', '--port', '0', '--json', '--data-dir', one.dir]
    const { listening } = await firstLine<{ listening: string }>(start(argv, { env }))
    // The gateway takes its time for some, so that they are in doubt when the signal comes.
    await one.sandbox.setPlan(trouble({ delayMs: 500 }, { on: 'fcm', after: ANDROIDS / 5 }))
    const begun = one.message(ANDROIDS / 5 + 20)
    const id = await one.broadcast()
    await begun
    await one.stop('SIGKILL')
    await one.sandbox.setPlan({})
    await endLeases(ours)
    const headers = { authorization: basic(one.first.apiKey, one.first.serverKey) }
    let report: Report | undefined
    await eventually(async () => {
      await endPauses(one)
      const answer = await fetch(`${listening}/messages/v2/notifications/${id}`, { headers })
      report = (await answer.json()) as Report
      return report.status > 2
    }, 'the other node finishes it')
    expect(report!.counts).to.deep.include({ audience: ANDROIDS, accepted: ANDROIDS, failed: 0, unknown: 0 })
    const { lost, extra } = receptions(one.sandbox, tokensOf(ANDROIDS), id)
    expect(lost).to.equal(0)
    // One thread, one lane, at most two chunks begun and not recorded.
    expect(extra).to.be.at.most(2 * CHUNK)
    const nodes = await one.inside((program) => program.nodes.list())
    expect(nodes).to.have.lengthOf(2)
    expect(nodes.every(({ stoppedAt }) => stoppedAt === null)).to.equal(true)
  })
})
