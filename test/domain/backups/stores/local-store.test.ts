import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import {
  askForBackup,
  type LastBackup,
  nextAt,
  readLastBackup,
  storeFailure,
  storeGood,
} from '../../../../src/domain/backups/last-backup.ts'
import { draftName, localStore, removeAbandoned } from '../../../../src/domain/backups/stores/local-store.ts'
import { isAppError } from '../../../../src/platform/errors.ts'
import { testClock } from '../../../support/clock.ts'

const HOUR_MS = 3_600_000
const GOOD = { at: 5, address: '/x', bytes: 7, seconds: 0.5 }

const codeOf = (work: Promise<unknown>) =>
  work.then(
    () => 'done',
    (error: unknown) => (isAppError(error) ? error.code : error),
  )

describe('a directory of backups', () => {
  let dir: string
  beforeEach(() => {
    dir = mkdtempSync(join(tmpdir(), 'appsvc-test-'))
  })
  afterEach(() => rmSync(dir, { recursive: true, force: true }))
  const at = (...path: string[]) => join(dir, ...path)
  const clock = testClock()

  it('is made when it may be, and its parent is there', async () => {
    expect(await codeOf(localStore(at('new')).prepare(clock))).to.equal('not_found')
    expect(await codeOf(localStore(at('a', 'b'), { make: true }).prepare(clock))).to.equal('not_found')
    await localStore(at('new'), { make: true }).prepare(clock)
    expect(existsSync(at('new'))).to.equal(true)
    await localStore(at('new')).prepare(clock)
    writeFileSync(at('file'), '')
    expect(await codeOf(localStore(at('file')).prepare(clock))).to.equal('not_found')
    expect(await localStore(at('nowhere')).names()).to.deep.equal([])
    expect(await localStore(dir).names()).to.have.members(['new', 'file'])
  })

  it('loses what killed processes left an hour ago, and nothing else', () => {
    const now = clock.now()
    const lost = [draftName('a'), `${draftName('a')}-wal`, '.appsvc-20260301T120000Z.sqlite.json.0123456789ab']
    const kept = ['appsvc-20260301T120000Z.sqlite', '.hidden', 'x.part', `${draftName('a')}-x`]
    for (const name of [...lost, ...kept, draftName('young')]) writeFileSync(at(name), '')
    for (const name of [...lost, ...kept]) utimesSync(at(name), now / 1000, (now - HOUR_MS - 1000) / 1000)
    utimesSync(at(draftName('young')), now / 1000, (now - HOUR_MS) / 1000)
    removeAbandoned(dir, clock)
    expect(readdirSync(dir)).to.have.members([...kept, draftName('young')])
  })

  it('takes a copy under a name that is free, or in the place of another when that is meant', async () => {
    const store = localStore(dir)
    const draft = (text: string) => {
      writeFileSync(at('draft'), text)
      return at('draft')
    }
    await store.put(draft('one'), 'x', { overwrite: false })
    expect([existsSync(at('draft')), await store.has('x')]).to.deep.equal([false, true])
    expect(await codeOf(store.put(draft('two'), 'x', { overwrite: false }))).to.equal('conflict')
    expect(readFileSync(at('x'), 'utf8')).to.equal('one')
    await store.put(draft('three'), 'x', { overwrite: true })
    expect(readFileSync(at('x'), 'utf8')).to.equal('three')
    mkdirSync(at('folder'))
    expect(await codeOf(store.has('folder'))).to.equal('bad_request')
    expect(await store.has('nothing')).to.equal(false)
    await store.putText('text', 'words')
    expect(await store.getText('text')).to.equal('words')
    await store.remove('text')
    await store.remove('text')
    expect(await store.has('text')).to.equal(false)
  })

  it('gives a copy with its progress, and writes over nothing', async () => {
    const store = localStore(dir)
    writeFileSync(at('x'), Buffer.alloc(3 * 1024 * 1024, 1))
    const told: [number, number][] = []
    await store.fetch('x', at('to'), { onProgress: (done, all) => void told.push([done, all]) })
    expect(readFileSync(at('to')).equals(readFileSync(at('x')))).to.equal(true)
    expect(told.at(-1)).to.deep.equal([3 * 1024 * 1024, 3 * 1024 * 1024])
    const again = await store.fetch('x', at('to'), {}).catch((error: NodeJS.ErrnoException) => error.code)
    expect(again).to.equal('EEXIST')
  })
})

describe('what came of the last backups', () => {
  let dir: string
  beforeEach(() => {
    dir = mkdtempSync(join(tmpdir(), 'appsvc-test-'))
  })
  afterEach(() => rmSync(dir, { recursive: true, force: true }))
  const FAILURE = { at: 9, error: 'no room' }

  it('is kept beside the database: the last good one, a failure after it, and what was asked for', () => {
    expect(readLastBackup(dir)).to.deep.equal({})
    storeGood(dir, GOOD)
    expect(readLastBackup(dir)).to.deep.equal({ good: GOOD })
    askForBackup(dir, 8)
    expect(readLastBackup(dir)).to.deep.equal({ good: GOOD, wanted: 8 })
    storeFailure(dir, FAILURE)
    expect(readLastBackup(dir), 'it was tried').to.deep.equal({ good: GOOD, failure: FAILURE })
    storeGood(dir, GOOD)
    expect(readLastBackup(dir)).to.deep.equal({ good: GOOD })
  })

  const files: [text: string, is: LastBackup][] = [
    ['no JSON', {}],
    ['[]', {}],
    ['null', {}],
    [JSON.stringify({ good: { ...GOOD, at: '5' } }), {}],
    [JSON.stringify({ good: { ...GOOD, address: 5 } }), {}],
    [JSON.stringify({ good: { ...GOOD, bytes: null } }), {}],
    [JSON.stringify({ good: { at: 5, address: 'x', bytes: 7 } }), {}],
    [JSON.stringify({ good: 7, failure: { at: 9 }, wanted: '8' }), {}],
    [JSON.stringify({ failure: { at: 9, error: 'no room' } }), { failure: FAILURE }],
    [JSON.stringify({ failure: { at: null, error: 'no room' }, wanted: 8 }), { wanted: 8 }],
  ]
  for (const [text, is] of files) {
    it(`is read from ${text}`, () => {
      writeFileSync(join(dir, 'backup.json'), text)
      expect(readLastBackup(dir)).to.deep.equal(is)
    })
  }

  it('says when the next is due: at once when asked for or never made, ten minutes after a failure at most', () => {
    expect(nextAt({}, HOUR_MS)).to.equal(0)
    expect(nextAt({ good: GOOD }, HOUR_MS)).to.equal(5 + HOUR_MS)
    expect(nextAt({ good: GOOD, failure: FAILURE }, HOUR_MS)).to.equal(9 + 600_000)
    expect(nextAt({ failure: FAILURE }, 60_000)).to.equal(9 + 60_000)
    expect(nextAt({ good: GOOD, failure: FAILURE, wanted: 3 }, HOUR_MS)).to.equal(3)
    expect(nextAt({ wanted: 0 }, HOUR_MS)).to.equal(0)
  })
})
