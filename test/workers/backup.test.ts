import { chmodSync, existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { run } from '../cli/cli.ts'
import { type Appliance, androidToken, openAppliance } from '../support/appliance.ts'
import { eventually } from '../support/eventually.ts'
import { PROGRAMS_MS } from '../support/programs.ts'

describe('a server that backs itself up', function () {
  this.timeout(PROGRAMS_MS)
  let one: Appliance
  let place: string
  beforeEach(async () => {
    place = join(mkdtempSync(join(tmpdir(), 'appsvc-backups-')), 'kept')
    one = await openAppliance({ androids: 3, environment: { APPSVC_BACKUP_TO: place, APPSVC_LOG_LEVEL: 'info' } })
  })
  afterEach(async () => {
    await one.close()
    rmSync(join(place, '..'), { recursive: true, force: true })
  })

  const complete = () => (existsSync(place) ? readdirSync(place).filter((name) => name.endsWith('.sqlite.json')) : [])
  const status = async () =>
    (await run(['status', '--json', '--data-dir', one.dir], { environment: one.environment })).json<{
      backup: { last: { backup: string } | null; failure?: { error: string } }
      held: { reason: string } | null
      faults: { kind: string; sentence: string }[]
    }>()
  const warnings = async () =>
    ((await one.call('GET', '/readyz')).body as { warnings?: string[] }).warnings?.join() ?? ''

  it('tells of it; and what is restored from it sends nothing before release', async () => {
    await one.start()
    const first = await one.broadcast()
    await eventually(() => complete().length === 1, 'the first backup is complete')
    await eventually(async () => (await status()).backup.last !== null, 'status tells of it')
    const metrics = await one.metrics()
    expect(metrics)
      .to.match(/^appsvc_backup_last_success_timestamp_seconds \d{10}/m)
      .and.include('appsvc_backup_failing 0')
      .and.include('appsvc_backup_interval_seconds 86400')
    await one.finished(first)
    await one.stop()

    // The machine is lost, with all it sent since.
    const key = join(place, '..', 'key')
    writeFileSync(key, (await import('node:fs')).readFileSync(join(one.dir, 'master.key')))
    rmSync(one.dir, { recursive: true })
    const restored = await run(['restore', place, '--data-dir', one.dir, '--key-file', key, '--json'])
    expect(restored.code, restored.stderr).to.equal(0)
    await one.start({ APPSVC_BACKUP_TO: '' })
    const second = await one.broadcast()
    expect(await warnings()).to.match(/^sending is held: it was restored from .*appsvc release/)
    expect((await status()).held?.reason).to.include('it was restored from')
    expect(await one.metrics()).to.include('appsvc_fault{kind="held"} 1')
    // The loops have looked for work several times.
    const ticks = /appsvc_worker_tick_age_seconds\{worker="dispatch"\} (\S+)/
    await eventually(async () => Number(ticks.exec(await one.metrics())?.[1] ?? 99) < 5, 'the workers run')
    expect((await one.report(second)).counts.accepted).to.equal(0)
    expect(one.sandbox.countOf(androidToken(0), String(second))).to.equal(0)
    const released = await run(['release', '--yes', '--data-dir', one.dir], { environment: one.environment })
    expect(released.code, released.stderr).to.equal(0)
    expect((await one.finished(second)).counts.accepted).to.equal(3)
  })

  it('warns when a backup fails, in the log, /readyz, metrics and status', async () => {
    writeFileSync(place, 'no directory')
    chmodSync(place, 0o600)
    await one.start()
    await eventually(async () => (await warnings()).includes('the backup to'), 'the failure is a fault')
    expect(await warnings())
      .to.include('there is none yet')
      .and.include('is not a directory')
    expect(await one.metrics())
      .to.include('appsvc_backup_failing 1')
      .and.include('appsvc_fault{kind="backup"} 1')
    const { backup, faults } = await status()
    expect(backup.failure?.error).to.include('is not a directory')
    expect(faults.map(({ kind }) => kind)).to.include('backup')
    expect((await one.stop()).code).to.equal(0)
  })
})
