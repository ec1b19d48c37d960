import { readdirSync, rmSync, statfsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { PROGRAMS_MS } from '../support/programs.ts'
import { mountSmallDisk, needsSmallDisk } from '../support/small-disk.ts'
import { run, temporaryDirectory } from './cli.ts'

const MIB = 1024 * 1024
const ROWS = 30_000
const MAP = ['--map', 'person=user', '--map', 'note=attr:note']

/** Commands on a disk of 24 MiB, of which 8 are kept for the outcomes of sends. */
describe('a command on a disk that gets full', function () {
  this.timeout(PROGRAMS_MS)
  const { dir, end } = temporaryDirectory()
  const disk = join(dir, 'disk')
  const data = join(disk, 'data')
  const filler = join(disk, 'filler')
  const environment = { APPSVC_DATA_DIR: data, APPSVC_DISK_LOW_WATER: String(8 * MIB) }
  let unmount: (() => void) | undefined
  const free = () => {
    const { bavail, bsize } = statfsSync(disk)
    return bavail * bsize
  }
  const leaveFree = (bytes: number) => {
    rmSync(filler, { force: true })
    writeFileSync(filler, Buffer.alloc(free() - bytes, 1))
  }

  before(async function () {
    needsSmallDisk(this)
    unmount = mountSmallDisk(disk, '24m')
    expect((await run(['apps', 'create', 'Shop'], { environment })).code).to.equal(0)
    const people = Array.from({ length: ROWS }, (_, i) => `person-${i},${'x'.repeat(200)}`)
    writeFileSync(join(dir, 'people.csv'), `person,note\n${people.join('\n')}\n`)
    expect((await run(['channels', 'create', 'Shop', 'news'], { environment })).code).to.equal(0)
    expect(
      (await run(['tables', 'create', 'Shop', 'books', '--column', 'title:string'], { environment })).code,
    ).to.equal(0)
    writeFileSync(join(dir, 'books.csv'), 'title\nOne\n')
    writeFileSync(join(dir, 'suppressed.csv'), 'nobody\n')
    writeFileSync(join(dir, 'subscribers.csv'), 'nobody\n')
  })
  after(() => {
    unmount?.()
    end()
  })

  it('ends an import in time with 69 and how to go on, and goes on when there is room', async () => {
    leaveFree(13 * MIB)
    const argv = ['import', 'csv', 'Shop', join(dir, 'people.csv'), ...MAP, '--yes']
    const ran = await run(argv, { environment })
    expect(ran.stderr).to.match(/[1-9]\d* of 30000 rows are done: .*--resume/)
    expect(ran.stderr).to.match(/the disk is nearly full .*; free some space, or lower disk.lowWater/)
    expect(ran.code).to.equal(69)
    // A batch may be stored after the last look.
    expect(free()).to.be.above(6 * MIB)
    rmSync(filler)
    const lower = { ...environment, APPSVC_DISK_LOW_WATER: String(MIB) }
    const rest = await run([...argv, '--resume'], { environment: lower })
    expect(rest.code, rest.stderr).to.equal(0)
  })

  it('refuses with 69 what stores something, and does what deletes', async () => {
    leaveFree(7 * MIB)
    const refused: string[][] = [
      ['apps', 'create', 'Other'],
      ['channels', 'create', 'Shop', 'more'],
      ['channels', 'import', 'Shop', 'news', join(dir, 'subscribers.csv')],
      ['tables', 'import', 'Shop', 'books', join(dir, 'books.csv')],
      ['suppressions', 'import', 'Shop', join(dir, 'suppressed.csv')],
      ['import', 'csv', 'Shop', join(dir, 'people.csv'), ...MAP, '--yes'],
    ]
    for (const argv of refused) {
      const { code, stderr } = await run(argv, { environment })
      expect(`${code} ${stderr}`, argv.join(' ')).to.match(/^69 [^]*the disk is nearly full/)
    }
    for (const argv of [['status'], ['channels', 'list', 'Shop'], ['channels', 'delete', 'Shop', 'news', '--yes']]) {
      const { code, stderr } = await run(argv, { environment })
      expect([code, argv[0]], stderr).to.deep.equal([0, argv[0]])
    }
  })

  it('a backup that does not fit any more ends with 69 and leaves nothing', async () => {
    leaveFree(11 * MIB)
    const place = join(disk, 'copies')
    const ran = await run(['backup', `${place}/`], { environment })
    expect(`${ran.code} ${ran.stderr}`).to.match(/^69 appsvc: a backup needs \d+ MiB in .*copies, and \d+ MiB are free/)
    expect(readdirSync(place)).to.deep.equal([])
    expect(readdirSync(data).filter((name) => name.startsWith('.'))).to.deep.equal([])
  })
})
