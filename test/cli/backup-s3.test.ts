import { existsSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { noteBegun } from '../../src/domain/backups/begun.ts'
import { readPlace } from '../../src/domain/backups/places.ts'
import { createS3 } from '../../src/platform/net/s3-client.ts'
import { PROGRAMS_MS } from '../support/programs.ts'
import { type S3StandIn, s3Environment, startS3 } from '../support/s3.ts'
import { type Ran, run, temporaryDirectory } from './cli.ts'

const { dir, end } = temporaryDirectory()
const at = (...path: string[]) => join(dir, ...path)
const data = at('data')

const errorOf = (ran: Ran) => `${ran.code} ${ran.json<{ error: string }>().error}`

describe('backup to an S3-compatible store', function () {
  this.timeout(PROGRAMS_MS)
  let s3: S3StandIn
  const before_ = { ...process.env }
  const ours = { ...s3Environment, AWS_EC2_METADATA_DISABLED: 'true', AWS_CONFIG_FILE: '/dev/null' }
  before(async () => {
    Object.assign(process.env, ours)
    await run(['apps', 'create', 'Bakery', '--data-dir', data])
  })
  beforeEach(async () => {
    s3 = await startS3()
  })
  afterEach(() => s3.close())
  after(() => {
    for (const name of Object.keys(ours)) {
      if (before_[name] === undefined) delete process.env[name]
      else process.env[name] = before_[name]
    }
    end()
  })

  const flags = () => ['--endpoint', s3.url, '--path-style', '--json']
  const backup = (to: string, ...argv: string[]) => run(['backup', to, '--data-dir', data, ...flags(), ...argv])
  const restore = (from: string, to: string) =>
    run(['restore', from, '--data-dir', at(to), '--key-file', join(data, 'master.key'), ...flags()])
  const names = (prefix: string) =>
    [...s3.objects.keys()].filter((name) => name.startsWith(prefix)).map((name) => name.slice(prefix.length))

  it('stores copy and manifest, keeps the newest, and restores what it stored', async () => {
    for (const day of ['01', '02', '03']) {
      const manifest = (await backup(`s3://bucket/old/${day}.sqlite`)).json<{ sha256: string }>()
      expect(manifest.sha256).to.match(/^[0-9a-f]{64}$/)
      for (const ending of ['', '.json']) {
        s3.objects.set(
          `bakery/appsvc-202001${day}T000000Z.sqlite${ending}`,
          s3.objects.get(`old/${day}.sqlite${ending}`)!,
        )
      }
    }
    const made = (await backup('s3://bucket/bakery', '--keep', '2')).json<{ backup: string; removed: string[] }>()
    expect(made.removed).to.deep.equal([
      's3://bucket/bakery/appsvc-20200102T000000Z.sqlite',
      's3://bucket/bakery/appsvc-20200101T000000Z.sqlite',
    ])
    const newest = made.backup.slice('s3://bucket/bakery/'.length)
    const kept = ['appsvc-20200103T000000Z.sqlite', newest]
    expect(names('bakery/')).to.have.members(kept.flatMap((name) => [name, `${name}.json`]))
    expect((await restore('s3://bucket/bakery', 'newest')).json()).to.include({ restored: made.backup, held: true })
    const status = await run(['status', '--json', '--data-dir', at('newest')])
    expect(status.json<{ held: object | null }>().held).to.not.equal(null)
    // Nothing of it stays on this machine.
    expect(readdirSync(data).filter((name) => name.includes('.part'))).to.deep.equal([])
  })

  it('tries again when the store fails or a connection is cut, also in the middle of a download', async () => {
    s3.fail({ call: 'put', status: 500, code: 'InternalError', times: 2 })
    s3.fail({ call: 'head', cut: 'before' })
    expect((await backup('s3://bucket/x.sqlite')).code).to.equal(0)
    s3.fail({ call: 'get', cut: 'middle', times: 3 })
    expect((await restore('s3://bucket/x.sqlite', 'cut')).code).to.equal(0)
    expect(existsSync(at('cut', 'appsvc.sqlite'))).to.equal(true)
  })

  it('says what the store refuses, and leaves nothing', async () => {
    s3.fail({ call: 'list', status: 403, code: 'AccessDenied' })
    expect(errorOf(await backup('s3://bucket/y'))).to.match(/^77 .*AccessDenied.*check the credentials and the policy/)
    s3.fail({ call: 'put', status: 403, code: 'AccessDenied' })
    expect(errorOf(await backup('s3://bucket/y'))).to.match(/^77 .*check the credentials/)
    expect(errorOf(await backup('s3://other/y'))).to.match(/^66 .*there is no such bucket/)
    expect(errorOf(await restore('s3://bucket/none.sqlite', 'r1'))).to.match(
      /^66 there is no backup s3:\/\/bucket\/none/,
    )
    expect(errorOf(await restore('s3://bucket/y', 'r2'))).to.match(/^66 there is no complete backup/)
    expect(names('y')).to.deep.equal([])
    delete process.env.AWS_ACCESS_KEY_ID
    const without = await backup('s3://bucket/y')
    process.env.AWS_ACCESS_KEY_ID = s3Environment.AWS_ACCESS_KEY_ID
    expect(errorOf(without)).to.match(/^78 .*no credentials found; set AWS_ACCESS_KEY_ID/)
    expect(without.stdout + without.stderr).to.not.include(s3Environment.AWS_SECRET_ACCESS_KEY)
  })

  it('refuses a name that is taken, unless it is told to replace it', async () => {
    expect((await backup('s3://bucket/z.sqlite')).code).to.equal(0)
    expect(errorOf(await backup('s3://bucket/z.sqlite'))).to.match(/^75 s3:\/\/bucket\/z\.sqlite exists.*--force/)
    expect((await backup('s3://bucket/z.sqlite', '--force')).code).to.equal(0)
  })

  it('uploads what is large in parts, one at a time, and leaves no parts when it fails', async () => {
    const store = createS3({ endpoint: s3.url, region: '', pathStyle: true, bucket: 'bucket' })
    const size = 35 * 1024 * 1024
    const asked: number[] = []
    const read = async (start: number, bytes: number) => {
      asked.push(bytes)
      return Buffer.alloc(bytes, start / 1024 / 1024)
    }
    s3.fail({ call: 'part', status: 503, code: 'SlowDown' })
    await store.putLarge('large', size, read)
    expect(asked.map((bytes) => bytes / 1024 / 1024)).to.deep.equal([16, 16, 3])
    const stored = s3.objects.get('large')!
    expect([stored.length, stored[0], stored[17 * 1024 * 1024], stored.at(-1)]).to.deep.equal([size, 0, 16, 32])

    s3.fail({ call: 'part', status: 403, code: 'AccessDenied', times: 9 })
    const refused = await store.putLarge('refused', size, read).catch((error: Error) => error.message)
    expect(refused).to.include('s3://bucket/refused cannot be stored: the store refuses')
    expect(s3.open).to.equal(0)
    expect(s3.objects.has('refused')).to.equal(false)
  })

  it('leaves nothing when the manifest cannot be stored, or lets the next backup remove it', async () => {
    const isCopy = (name: string) => name.endsWith('.sqlite')
    s3.fail({ call: 'put', status: 403, code: 'AccessDenied', skip: 1 })
    expect(errorOf(await backup('s3://bucket/orphan'))).to.match(/^77 .*json cannot be stored: the store refuses/)
    expect(names('orphan/')).to.deep.equal([])
    // It cannot be deleted either.
    s3.fail({ call: 'put', status: 403, code: 'AccessDenied', skip: 1 })
    s3.fail({ call: 'delete', status: 403, code: 'AccessDenied' })
    expect((await backup('s3://bucket/orphan')).code).to.equal(77)
    const [left] = names('orphan/')
    expect(isCopy(left!)).to.equal(true)
    // What others have put there stays.
    s3.objects.set('orphan/appsvc-20200101T000000Z.sqlite', Buffer.from('of another server'))
    expect((await backup('s3://bucket/elsewhere')).code).to.equal(0)
    expect(names('orphan/')).to.include(left)
    const made = await backup('s3://bucket/orphan')
    expect(made.code, made.stderr).to.equal(0)
    // Within the same second the new copy has the name of what was left.
    const copy = names('orphan/').find((name) => isCopy(name) && !name.includes('20200101'))
    expect(names('orphan/').filter(isCopy)).to.have.members(['appsvc-20200101T000000Z.sqlite', copy])
    expect(made.stdout).to.include(copy)
    expect(names('orphan/')).to.have.lengthOf(3)
    expect(readdirSync(data).filter((name) => name.startsWith('.'))).to.deep.equal([])
  })

  it('ends the uploads of its own that a killed backup has left open, and no other', async () => {
    const store = createS3({ endpoint: s3.url, region: '', pathStyle: true, bucket: 'bucket' })
    const open = async (key: string) => {
      const response = await fetch(`${s3.url}/bucket/${key}?uploads`, {
        method: 'POST',
        headers: { authorization: 'Credential=STANDINKEY/' },
      })
      expect(response.status).to.equal(200)
    }
    await open('parts/appsvc-20260101T000000Z.sqlite')
    await open('parts/appsvc-20260101T000000Z.sqlite')
    await open('parts/appsvc-20260101T000000Z.sqlite.of-others')
    const before = s3.open
    const killed = noteBegun(data, {
      id: 'a'.repeat(12),
      store: readPlace('s3://bucket/parts', { s3: { endpoint: s3.url, region: '', pathStyle: true }, dataDir: data })
        .store,
      name: 'appsvc-20260101T000000Z.sqlite',
      draft: join(data, '.appsvc-backup-aaaaaaaaaaaa.part'),
    })
    writeFileSync(join(data, '.appsvc-backup-aaaaaaaaaaaa.part'), 'half')
    // While it runs, nobody else touches it.
    expect((await backup('s3://bucket/parts/first.sqlite')).code).to.equal(0)
    expect(s3.open).to.equal(before)
    killed.giveUp()
    expect((await backup('s3://bucket/parts/', '--keep', '1')).code).to.equal(0)
    expect(s3.open).to.equal(before - 2)
    expect(readdirSync(data).filter((name) => name.startsWith('.'))).to.deep.equal([])
    await store.abortUploads('parts/appsvc-20260101T000000Z.sqlite.of-others')
    expect(s3.open).to.equal(before - 3)
  })
})
