import { expect } from 'chai'
import { listBackups, removeOld } from '../../../src/domain/backups/keep.ts'
import { keyName, manifestName } from '../../../src/domain/backups/manifest.ts'
import type { BackupStore } from '../../../src/domain/backups/stores/store.ts'

const OURS = 'key of ours'
const nameOf = (day: number) => `appsvc-2026030${day}T120000Z.sqlite`
const manifestOf = (keyCheck: string) =>
  JSON.stringify({
    format: 1,
    program: '0.1.0',
    takenAt: '2026-03-01T12:00:00Z',
    bytes: 1,
    sha256: 'a'.repeat(64),
    schema: '0001',
    keyCheck,
    tables: {},
  })

/** A store that lists names in the order in which they were put. */
function storeOf(files: Record<string, string>) {
  const kept = new Map(Object.entries(files))
  const removed: string[] = []
  const store = {
    names: async () => [...kept.keys()],
    getText: async (name: string) => kept.get(name),
    remove: async (name: string) => {
      kept.delete(name)
      removed.push(name)
    },
  } as unknown as BackupStore
  return { store, kept, removed }
}

const backup = (day: number, keyCheck = OURS) => ({
  [nameOf(day)]: 'x',
  [manifestName(nameOf(day))]: manifestOf(keyCheck),
})

describe('backups that are kept', () => {
  it('are listed newest first, whatever the order of the store, without those that are not complete or not ours', async () => {
    const { store } = storeOf({
      ...backup(2),
      ...backup(4),
      ...backup(1),
      ...backup(3),
      [nameOf(5)]: 'without a manifest',
      [nameOf(6)]: 'x',
      [manifestName(nameOf(6))]: 'no manifest',
      'mine.sqlite': 'x',
      [manifestName('mine.sqlite')]: manifestOf(OURS),
    })
    expect((await listBackups(store)).map(({ name }) => name)).to.deep.equal([4, 3, 2, 1].map(nameOf))
  })

  it('are the newest ones of this master key, and of a removed one the manifest goes first', async () => {
    const { store, kept, removed } = storeOf({ ...backup(2), ...backup(3, 'another'), ...backup(1), ...backup(4) })
    expect(await removeOld(store, 2, OURS)).to.deep.equal([nameOf(1)])
    expect(removed).to.deep.equal([manifestName(nameOf(1)), nameOf(1), keyName(nameOf(1))])
    expect([...kept.keys()]).to.include.members([2, 3, 4].map(nameOf))
    expect(await removeOld(store, 2, OURS)).to.deep.equal([])
  })
})
