import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Sqlite from 'better-sqlite3'
import { expect } from 'chai'
import type { Place } from '../../../src/domain/db-copy/copy.ts'
import { finishedCopy } from '../../../src/domain/db-copy/finished.ts'
import { movedReason } from '../../../src/domain/db-copy/reason.ts'

type Instance = Record<'key_check' | 'pepper' | 'held_reason', string | null>

describe('a move that was finished before', () => {
  let dir: string
  let made = 0
  before(() => {
    dir = mkdtempSync(join(tmpdir(), 'appsvc-test-'))
  })
  after(() => rmSync(dir, { recursive: true, force: true }))

  /** A database file with this row of `instance`; null: without the table. `more`: another table. */
  function place(row: Partial<Instance> | null, more?: string): Place {
    const file = join(dir, `${++made}.sqlite`)
    const db = new Sqlite(file)
    if (row) {
      db.exec('CREATE TABLE instance (id INTEGER PRIMARY KEY, key_check TEXT, pepper TEXT, held_reason TEXT)')
      const { key_check, pepper, held_reason } = { ...KEYS, ...row }
      db.prepare('INSERT INTO instance VALUES (1, ?, ?, ?)').run(key_check, pepper, held_reason)
    }
    if (more) db.exec(more)
    db.close()
    return { file, shown: 'the new place' }
  }
  const KEYS: Instance = { key_check: 'check', pepper: 'pepper', held_reason: null }
  const MOVED = { held_reason: movedReason({ shown: 'the new place' }) }
  const COPYING = 'CREATE TABLE copy_source (id TEXT); INSERT INTO copy_source VALUES (1)'

  const rows: [what: string, from: () => Place, to: () => Place, expected: { held: string | null } | undefined][] = [
    ['is one when the copy is ready', () => place(MOVED), () => place({}), { held: null }],
    [
      'is one when the source was held before',
      () => place({ held_reason: `${MOVED.held_reason}; before that: it was restored` }),
      () => place({ held_reason: 'it was restored' }),
      { held: 'it was restored' },
    ],
    ['is none while the source is free', () => place({}), () => place({}), undefined],
    [
      'is none when the source was moved elsewhere',
      () => place({ held_reason: movedReason({ shown: 'another place' }) }),
      () => place({}),
      undefined,
    ],
    ['is none of a source without anything', () => place(null), () => place({}), undefined],
    [
      'is none when nothing is there',
      () => place(MOVED),
      () => ({ file: join(dir, 'none.sqlite'), shown: 'the new place' }),
      undefined,
    ],
    ['is none when there is an empty database', () => place(MOVED), () => place(null), undefined],
    ['is none of another program', () => place(MOVED), () => place(null, 'CREATE TABLE x (id INTEGER)'), undefined],
    ['is none while the copy is unfinished', () => place(MOVED), () => place({}, COPYING), undefined],
    ['is none of another master key', () => place(MOVED), () => place({ key_check: 'other' }), undefined],
    ['is none of another pepper', () => place(MOVED), () => place({ pepper: 'other' }), undefined],
    [
      'is none where no key is known',
      () => place({ ...MOVED, key_check: null }),
      () => place({ key_check: null }),
      undefined,
    ],
  ]
  for (const [what, from, to, expected] of rows) {
    it(what, async () => expect(await finishedCopy(from(), to())).to.deep.equal(expected))
  }
})
