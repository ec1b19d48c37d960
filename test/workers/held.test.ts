import { cpSync, readFileSync, renameSync, rmSync } from 'node:fs'
import { expect } from 'chai'
import { run } from '../cli/cli.ts'
import { type Appliance, androidToken, openAppliance } from '../support/appliance.ts'
import { eventually } from '../support/eventually.ts'
import { onSqliteDaily } from '../support/program.ts'
import { PROGRAMS_MS } from '../support/programs.ts'

/** Errors that the server has logged, as their sentences. */
const errorsOf = (one: Appliance) =>
  one
    .log()
    .split('\n')
    .filter((line) => line.includes('"level":"error"'))
    .map((line) => (JSON.parse(line) as { msg: string }).msg)

const readyz = async (one: Appliance) =>
  (await one.call('GET', '/readyz')) as { status: number; body: { warnings?: string[] } }

onSqliteDaily('a database that was restored', function (kind) {
  this.timeout(PROGRAMS_MS)
  let one: Appliance
  beforeEach(async () => {
    one = await openAppliance({ androids: 3, kind, environment: { APPSVC_LOG_LEVEL: 'info' } })
  })
  afterEach(() => one.close())

  /** Makes the database another one than was closed last. */
  async function restore(): Promise<void> {
    if (kind === 'postgres') {
      await one.inside((program) => program.inTransaction((tx) => tx.instance.setIdentity('postgres 1/1')))
      return
    }
    renameSync(one.dir, `${one.dir}-old`)
    cpSync(`${one.dir}-old`, one.dir, { recursive: true, preserveTimestamps: true })
    rmSync(`${one.dir}-old`, { recursive: true })
  }

  it('accepts and sends nothing until it is released, and says so everywhere; a kill and a restart before are no restore, and a copy is not used for a test push', async () => {
    await one.start()
    await one.stop('SIGKILL')
    await one.start()
    expect((await one.finished(await one.broadcast())).counts).to.include({ accepted: 3 })
    expect((await readyz(one)).body).to.deep.equal({ status: 'ready' })
    await one.stop()
    one.sandbox.reset()
    // What the restored database believes it has yet to send.
    const stdin = JSON.stringify({ target: { broadcast: true }, content: { title: 'Title', message: 'Message' } })
    const notified = await run(['notify', '--json', '--data-dir', one.dir], { environment: one.environment, stdin })
    const queued = notified.json<{ notification: { id: number } }>().notification.id
    await restore()
    await one.start()
    const accepted = await one.broadcast()
    const { status, body } = await readyz(one)
    expect(status).to.equal(200)
    expect(body.warnings?.join()).to.match(/^sending is held: .*appsvc release/)
    const metrics = await one.metrics()
    expect(metrics).to.include('appsvc_fault{kind="held"} 1')
    expect(errorsOf(one))
      .to.have.lengthOf(1)
      .and.to.match(/sending is held/)

    const settings = { environment: one.environment }
    const shown = await run(['status', '--json', '--data-dir', one.dir], settings)
    expect(shown.json<{ held: { reason: string } }>().held.reason).to.match(/restored/)
    const test = await run(['push', 'test', '--data-dir', one.dir, '--install', 'nobody'], settings)
    expect([test.code, test.stderr]).to.deep.equal([69, test.stderr])
    expect(test.stderr).to.include('appsvc release')
    const asked = await run(['release', '--data-dir', one.dir], settings)
    expect([asked.code, asked.stderr]).to.deep.equal([64, asked.stderr])
    expect(asked.stdout).to.include('waiting notifications')

    // A restart does not lift it.
    await one.stop('SIGKILL')
    await one.start()
    expect((await readyz(one)).body.warnings).to.have.lengthOf(1)
    expect(one.sandbox.counts().requests, 'nothing was sent so far').to.equal(0)

    const released = await run(['release', '--yes', '--json', '--data-dir', one.dir], settings)
    expect(released.json()).to.deep.include({ released: true, waiting: { notifications: 2, inAppMessages: 0 } })
    for (const id of [queued, accepted])
      expect((await one.finished(id)).counts).to.include({ audience: 3, accepted: 3 })
    await eventually(async () => (await readyz(one)).body.warnings === undefined, 'readyz says no more that it is held')
    expect(one.log().split('over: sending is held')).to.have.lengthOf(2)
    const again = await run(['release', '--yes', '--json', '--data-dir', one.dir], settings)
    expect(again.json()).to.include({ released: false, held: false })
    await one.stop()
    if (kind === 'postgres') return

    const copy = `${one.dir}-copy`
    cpSync(one.dir, copy, { recursive: true })
    one.sandbox.reset()
    const install = `install-2-${androidToken(0).slice(0, 80)}`
    const copied = await run(['push', 'test', '--install', install, '--data-dir', copy], settings)
    expect([copied.code, copied.stderr.includes('appsvc release')]).to.deep.equal([69, true])
    expect(one.sandbox.counts().requests).to.equal(0)
    expect(readFileSync(`${copy}/appsvc.mark`, 'utf8')).to.equal(readFileSync(`${one.dir}/appsvc.mark`, 'utf8'))
  })
})
