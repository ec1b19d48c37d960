import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { exportedCell, readExportedCell } from '../../src/domain/imports/users/export-cells.ts'
import { guarded, writeRecord } from '../../src/platform/text/csv-text.ts'
import { CELL_VALUES } from '../support/export-values.ts'
import { loadPure } from './support/pure.ts'

interface Rows {
  readFile(text: string): { head: string[]; rows: { line: number; cells: unknown[] }[]; refused: { line: number }[] }
  propose(file: ReturnType<Rows['readFile']>): string[]
  userOf(row: object, head: string[], columns: string[]): { userId: string; attributes?: object; reason?: string }
  slicesOf(users: object[]): object[][]
  exporterOf(file: object): { name: string; command: string } | undefined
}

describe('a file of users in the browser', () => {
  let rows: Rows
  before(async () => {
    rows = await loadPure<Rows>('pages/users/rows.ts')
  })
  const read = (text: string) => {
    const file = rows.readFile(text)
    const columns = rows.propose(file)
    return { ...file, columns, users: file.rows.map((row) => rows.userOf(row, file.head, columns)) }
  }

  it('is CSV, whose columns are proposed by all of their values', () => {
    const { columns, users, refused } = read(
      'plan,User ID,visits,zip,vip,tags,known\ngold,anna,12,01067,true,"[""a""]",true\n,bert,-1.5,10115,false,{},true\n"x\ny",carl,1,1,true,[],true\nshort\n',
    )
    expect(columns).to.deep.equal(['text', 'id', 'number', 'text', 'boolean', 'json', ''])
    expect(users[0]).to.deep.include({ attributes: { plan: 'gold', visits: 12, zip: '01067', vip: true, tags: ['a'] } })
    expect(users[1]).to.deep.include({ attributes: { visits: -1.5, zip: '10115', vip: false, tags: {} } })
    expect(refused.map(({ line }) => line)).to.deep.equal([6])
  })

  it('may be the export of another service, which is told by its columns', () => {
    const exported = (name: string) => readFileSync(join('test/domain/imports/exports', name), 'utf8')
    const { columns, head } = read(exported('onesignal.csv'))
    expect(head[columns.indexOf('id')]).to.equal('external_user_id')
    const found = ['onesignal.csv', 'pinpoint.csv', 'parse.jsonl', 'own.csv'].map(
      (name) => rows.exporterOf(rows.readFile(exported(name)))?.command,
    )
    expect(found).to.deep.equal(['onesignal', 'pinpoint', 'parse', undefined])
    expect(rows.exporterOf(rows.readFile('id,identifier,plan\n1,anna,gold\n'))).to.equal(undefined)
  })

  it('may be a list of user ids without a name', () => {
    expect(read('anna\nbert\n').users.map(({ userId }) => userId)).to.deep.equal(['anna', 'bert'])
    expect(read('\uFEFFuser_id\r\nanna\r\n').users.map(({ userId }) => userId)).to.deep.equal(['anna'])
  })

  it('may be JSON lines, whose values stay as they are', () => {
    const { users, refused } = read(
      '{"id":"anna","plan":"gold","n":1}\n{"id":7,"x":{"y":null}}\n{broken\n{"id":1,"n":12345678901234567890}\n',
    )
    expect(users.map(({ userId, attributes }) => [userId, attributes])).to.deep.equal([
      ['anna', { plan: 'gold', n: 1 }],
      ['7', { x: { y: null } }],
    ])
    expect(refused.map(({ line }) => line)).to.deep.equal([3, 4])
  })

  it('keeps text of JSON lines text, also an empty one, and refuses lines that are no object or have no id', () => {
    const { columns, users, refused } = read(
      '{"id":"anna","zip":"10115","a.b":"=x","note":""}\n{"id":null}\n{"id":true}\n{"id":1.5}\n[1,2]\nnull\n"id"\n{"id":1e400}\n',
    )
    expect(columns).to.deep.equal(['id', 'same', 'same', 'same'])
    expect(users[0]!.attributes).to.deep.equal({ zip: '10115', 'a.b': '=x', note: '' })
    expect(users.slice(1).map(({ reason }) => reason))
      .to.have.length(3)
      .and.not.include(undefined)
    expect(refused.map(({ line }) => line)).to.deep.equal([5, 6, 7, 8])
  })

  it('of our export has every value as it was', () => {
    const head = ['user_id', 'known', 'created', 'first_active', 'last_active', 'installs', 'subscribed']
    const values = CELL_VALUES.map((value, i) => [`n${i}`, value] as const)
    const names = values.map(([name]) => name)
    const cells = values.map(([, value]) => exportedCell(value))
    const text =
      writeRecord([...head, ...names, 'other_attributes']) +
      writeRecord([' =cmd', 'true', '', '', '', 0, 0, ...cells, '{"a.b":"1","known":true}'])
    const { columns, users, refused } = read(text)
    expect(refused).to.deep.equal([])
    expect(columns.at(-1)).to.equal('spread')
    expect(users[0]).to.deep.include({ userId: ' =cmd' })
    expect(users[0]!.attributes).to.deep.equal({ ...Object.fromEntries(values), 'a.b': '1', known: true })
  })

  it('reads the cells of an export as the server does', () => {
    for (const cell of [
      '',
      'TRUE',
      'false',
      '1',
      '-5',
      '01',
      '1e400',
      '12345678901234567890',
      '"1"',
      '"',
      '{',
      '[1]',
      "'=1",
      "'1",
      ' 1',
    ]) {
      const own = 'user_id,known,created,first_active,last_active,installs,subscribed,other_attributes'
      const file = rows.readFile(`x,${own}\n"${cell.replaceAll('"', '""')}",anna,,,,,,,\n`)
      expect(file.rows[0]!.cells[0], cell).to.deep.equal(readExportedCell(cell))
    }
  })

  for (const [what, text] of [
    ['columns that are separated by semicolons', 'user_id;plan\nanna;gold\n'],
    ['columns that are separated by tabs', 'user_id\tplan\nanna\tgold\n'],
    ['a column that is there twice', 'user_id,plan,plan\nanna,a,b\n'],
    ['very many columns', `user_id,${Array.from({ length: 300 }, (_, i) => `c${i}`).join(',')}\nanna\n`],
    ['a name of very many levels', `user_id,${'a.'.repeat(5000)}b\nanna,1\n`],
  ] as const) {
    it(`is refused as a whole for ${what}`, () => {
      expect(() => rows.readFile(text)).to.throw(Error)
    })
  }

  it('refuses the lines of a quote that is never closed, of NUL and of a huge value, and no other', () => {
    const { users, refused } = read(`id,note\nanna,a\nbert,a\0b\ncarl,${'x'.repeat(300_000)}\ndora,"open\nemil,b\n`)
    expect(refused.map(({ line }) => line)).to.deep.equal([3, 5])
    expect(users.map(({ userId, reason }) => [userId, reason === undefined])).to.deep.equal([
      ['anna', true],
      ['carl', false],
    ])
  })

  it('refuses a line without a user id, with a rounded one, or with a value of another kind', () => {
    const head = ['id', 'visits']
    const one = (...cells: unknown[]) => rows.userOf({ line: 2, cells }, head, ['id', 'number']).reason
    expect(one('', '1')).to.include('1 to 255')
    expect(one('x'.repeat(256), '1')).to.include('1 to 255')
    expect(one('1.23E+17', '1')).to.include('rounded')
    expect(one('anna', 'x')).to.equal('visits is no number: x')
    expect(one('anna', '12345678901234567890')).to.include('is no number')
  })

  it('keeps names with dots within one another, and __proto__ as a name', () => {
    const file = rows.readFile('id,a.b,a.c,__proto__.x\nanna,1,2,3\n')
    const user = rows.userOf(file.rows[0]!, file.head, ['id', 'number', 'number', 'number'])
    expect(JSON.stringify(user.attributes)).to.equal('{"a":{"b":1,"c":2},"__proto__":{"x":3}}')
    expect(({} as { x?: number }).x).to.equal(undefined)
  })

  it('takes off the guard that our export puts before a formula', () => {
    for (const text of ['=1+1', "'=1", '-5', 'plain', "'plain", '@x', ' =x']) {
      const { users } = read(`id,note\nanna,"${guarded(text)}"\n`)
      expect(users[0]!.attributes, text).to.deep.equal({ note: text })
    }
  })

  it('goes in slices that a request takes', () => {
    const user = (size: number) => ({ line: 1, userId: 'a', attributes: { text: 'x'.repeat(size) } })
    expect(rows.slicesOf(Array.from({ length: 1100 }, () => user(1))).map(({ length }) => length)).to.deep.equal([
      500, 500, 100,
    ])
    expect(rows.slicesOf([user(150_000), user(60_000), user(10)]).map(({ length }) => length)).to.deep.equal([1, 2])
  })
})
