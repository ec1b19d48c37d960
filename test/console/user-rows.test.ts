import { expect } from 'chai'
import { guarded } from '../../src/platform/text/csv-text.ts'
import { loadPure } from './support/pure.ts'

interface Rows {
  readFile(text: string): { head: string[]; rows: { line: number; cells: unknown[] }[]; refused: { line: number }[] }
  propose(file: ReturnType<Rows['readFile']>): string[]
  userOf(row: object, head: string[], columns: string[]): { userId: string; attributes?: object; reason?: string }
  slicesOf(users: object[]): object[][]
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
