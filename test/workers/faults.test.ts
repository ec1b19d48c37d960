import { randomBytes } from 'node:crypto'
import { closeSync, cpSync, openSync, renameSync, rmSync, writeFileSync, writeSync } from 'node:fs'
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { expect } from 'chai'
import { run } from '../cli/cli.ts'
import { type Appliance, openAppliance, trouble } from '../support/appliance.ts'
import { reaches } from '../support/depth.ts'
import { eventually } from '../support/eventually.ts'
import { PROGRAMS_MS } from '../support/programs.ts'
import { mountSmallDisk, needsSmallDisk } from '../support/small-disk.ts'

interface Ready {
  status: number
  body: { error?: string; warnings?: string[] }
}

/** The kinds of what `appsvc status` says is wrong. */
async function shown(one: Appliance): Promise<string[]> {
  const { stdout, stderr, code, json } = await run(['status', '--json', '--data-dir', one.dir], {
    environment: one.environment,
  })
  if (code !== 0) throw new Error(`${stdout}${stderr}`)
  return json<{ faults: { kind: string }[] }>().faults.map(({ kind }) => kind)
}

const errors = (one: Appliance, kind: string) =>
  one
    .log()
    .split('\n')
    .filter((line) => line.includes('"level":"error"') && line.includes(`"fault":"${kind}"`))

/** Waits until `/readyz` says `what`, then checks that status, metric and one error line say the kind, too. */
async function isNamed(one: Appliance, kind: string, what: RegExp, status: 200 | 503): Promise<void> {
  let last: Ready | undefined
  await eventually(async () => {
    last = (await one.call('GET', '/readyz')) as Ready
    return what.test(last.body.error ?? '') || (last.body.warnings ?? []).some((warning) => what.test(warning))
  }, `/readyz says ${what}`)
  expect(last!.status).to.equal(status)
  expect(await one.metrics()).to.include(`appsvc_fault{kind="${kind}"} 1`)
  await eventually(async () => (await shown(one)).includes(kind), `appsvc status names ${kind}`)
  expect(errors(one, kind)).to.have.lengthOf(1)
}

describe('what is wrong with a server is named', function () {
  this.timeout(PROGRAMS_MS)
  let one: Appliance
  afterEach(() => one?.close())

  // That it becomes a fault when it lasts is in watch.test.ts, where 45 s take no time.
  it('when its threads cannot be started', async () => {
    one = await openAppliance({ androids: 1 })
    await one.start({}, ['sh', '-c', 'ulimit -n 40; exec "$@"', 'sh'])
    const said = /"thread":"background","error":"only \d+ of 40 files can still be opened/
    await eventually(() => said.test(one.log()), 'it is logged')
    expect((await one.call('GET', '/healthz')).status).to.equal(200)
    if (reaches('long'))
      await isNamed(one, 'worker', /the workers .*deliver.* are stuck: .* files can still be opened/, 503)
  })

  it('when its disk is nearly full, and it goes on by itself when there is room again', async function () {
    needsSmallDisk(this)
    one = await openAppliance({
      androids: 1,
      environment: { APPSVC_LOG_LEVEL: 'info', APPSVC_DISK_LOW_WATER: '8388608' },
    })
    // A small file system of its own under the data directory.
    const kept = `${one.dir}-kept`
    renameSync(one.dir, kept)
    const unmount = mountSmallDisk(one.dir, '24m')
    try {
      cpSync(kept, one.dir, { recursive: true })
      await one.start()
      expect((await one.finished(await one.broadcast())).counts).to.include({ accepted: 1 })
      writeFileSync(join(one.dir, 'filler'), Buffer.alloc(17 * 1024 * 1024))
      await isNamed(one, 'disk', /the disk is nearly full/, 503)
      const body = { target: { broadcast: true }, content: { title: 'Title', message: 'Message' } }
      const refused = await one.call('POST', '/messages/v2/notifications', body)
      expect([refused.status, refused.headers.get('retry-after')]).to.deep.equal([503, '30'])
      const command = await run(['notify', '--data-dir', one.dir], {
        environment: one.environment,
        stdin: JSON.stringify(body),
      })
      expect([command.code, command.stderr.includes('the disk is nearly full')]).to.deep.equal([69, true])
      rmSync(join(one.dir, 'filler'))
      await eventually(async () => (await one.call('GET', '/readyz')).status === 200, 'ready again')
      expect((await one.finished(await one.broadcast())).counts).to.include({ accepted: 1 })
      expect(one.log().split('over: the disk is nearly full')).to.have.lengthOf(2)
      await one.stop()
    } finally {
      await one.stop('SIGKILL').catch(() => {})
      unmount('--lazy')
      rmSync(kept, { recursive: true, force: true })
    }
  })

  it('when pages of its database are damaged: nothing is written or sent any more', async () => {
    one = await openAppliance({ androids: 50 })
    await one.start()
    await one.stop()
    const file = join(one.dir, 'appsvc.sqlite')
    const db = new Database(file)
    db.pragma('wal_checkpoint(TRUNCATE)')
    const page = db.prepare(`SELECT rootpage FROM sqlite_master WHERE name = 'installs'`).pluck().get() as number
    const size = db.pragma('page_size', { simple: true }) as number
    db.close()
    const fd = openSync(file, 'r+')
    writeSync(fd, randomBytes(size), 0, size, (page - 1) * size)
    closeSync(fd)
    await one.start()
    await isNamed(one, 'corrupt', /the database file is damaged: .*restore a backup/, 503)
    const body = { target: { broadcast: true }, content: { title: 'Title', message: 'Message' } }
    const { status, body: answer } = await one.call('POST', '/messages/v2/notifications', body)
    expect(status).to.equal(503)
    expect((answer as { error: string }).error).to.include('restore a backup')
    expect(one.sandbox.counts().requests).to.equal(0)
  })

  // With all the time-outs of a real gateway; watch.test.ts and thread.test.ts have each part of it by their own clock.
  describe('when a gateway', () => {
    if (!reaches('long')) return
    let silent: Server
    const sockets = new Set<Socket>()
    beforeEach(async () => {
      silent = createServer((socket) => sockets.add(socket.on('error', () => {})))
      await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve))
    })
    afterEach(async () => {
      for (const socket of sockets) socket.destroy()
      await new Promise((resolve) => silent.close(resolve))
    })

    it('accepts connections and says nothing: the server stays ready, for one vendor must not take the rest down', async () => {
      one = await openAppliance({ androids: 1, iphones: 1 })
      await one.start({ APPSVC_GATEWAYS_APNS_URL: `https://127.0.0.1:${(silent.address() as AddressInfo).port}` })
      await one.broadcast()
      await isNamed(one, 'gateway', /the ios gateway of app 1/, 200)
    })

    it('takes requests and does not answer them', async () => {
      one = await openAppliance({ androids: 2 })
      await one.sandbox.setPlan(trouble({ hang: true }, { on: 'fcm' }))
      await one.start()
      await one.broadcast()
      await isNamed(one, 'gateway', /the android gateway of app 1 does not answer/, 200)
    })
  })
})
