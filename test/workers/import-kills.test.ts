import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { onEachDatabase } from '../support/app.ts'
import { type Appliance, openAppliance } from '../support/appliance.ts'
import { eventually } from '../support/eventually.ts'
import { PROGRAMS_MS } from '../support/programs.ts'

const USERS = 12_000
/** More than a batch, so that there is a place in the middle to go on from. */
const LINES = 262_000
const GHOST_EVERY = 40_000

const isGhost = (i: number) => i % GHOST_EVERY === 7
const ghosts = Array.from({ length: LINES }, (_, i) => i).filter(isGhost)

function csv(): string {
  let text = ''
  for (let i = 0; i < LINES; i++) text += isGhost(i) ? `ghost-${i}\n` : `user-${1 + ((i * 7919) % USERS)}\n`
  return text
}

interface Import {
  id: string
  state: string
  applied: number
  unknown: number
  error: string | null
  unknownUsers: { line: number; userId: string }[]
}

onEachDatabase('a file of subscribers', (kind) => {
  let one: Appliance
  beforeEach(async function () {
    this.timeout(PROGRAMS_MS)
    one = await openAppliance({ kind })
    await one.inside((app) =>
      app.kernel.db.write((trx) =>
        trx.raw(
          `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${USERS}) INSERT INTO users
             (app_id, identifier, anonymous, listed, install_count, first_active, last_active, created_at, updated_at)
           SELECT CAST(? AS bigint), 'user-' || i, FALSE, FALSE, 0, 0, 0, 0, 0 FROM n`,
          [one.first.id],
        ),
      ),
    )
  })
  afterEach(() => one.close())

  async function upload(): Promise<string> {
    await one.call('POST', '/messages/channels', { uuid: 'news', name: 'News' })
    const file = new Blob([csv()], { type: 'text/csv' })
    const { status, body } = await one.upload('/messages/v2/channels/news/subscribers-file', file, 'users.csv')
    expect(status).to.equal(202)
    return (body as { import: Import }).import.id
  }

  async function expectApplied(id: string): Promise<void> {
    const path = `/messages/v2/channels/news/imports/${id}`
    const read = async () => ((await one.call('GET', path)).body as { import: Import }).import
    await eventually(async () => (await read()).state === 'done', 'the file is applied')
    const done = await read()
    expect(done).to.include({ applied: LINES - ghosts.length, unknown: ghosts.length, error: null })
    expect(done.unknownUsers).to.deep.equal(ghosts.map((i) => ({ line: i + 1, userId: `ghost-${i}` })))
    expect((await one.stop()).code).to.equal(0)
    const { users } = await one.inside((app) => app.channels.counts(one.first.id, 1))
    expect(users).to.equal(USERS)
  }

  it('is applied exactly, however often kill -9 ends the server in the middle of it', async function () {
    this.timeout(PROGRAMS_MS)
    // Up to the answer nothing is read of the file: the thread that does it dies later.
    await one.start({ APPSVC_FAILPOINTS: 'ingest.subscribed:2' })
    const id = await upload()
    await one.ended()
    // A quick one may die before it says where it listens.
    for (const point of ['ingest.subscribed:9', 'ingest.advanced:1', 'ingest.advanced:1']) {
      await one.start({ APPSVC_FAILPOINTS: point }).catch(() => {})
      await one.ended()
    }
    await one.start()
    await expectApplied(id)
    // The last kill came between the last commit and the deletion of the file: that waits for the next tidying.
    expect(readdirSync(join(one.dir, 'uploads'))).to.have.length(1)
  })

  it('is applied exactly when SIGTERM comes in the middle of it', async function () {
    this.timeout(PROGRAMS_MS)
    await one.start()
    const id = await upload()
    expect((await one.stop()).code).to.equal(0)
    await one.start()
    await expectApplied(id)
    expect(readdirSync(join(one.dir, 'uploads'))).to.deep.equal([])
  })
})
