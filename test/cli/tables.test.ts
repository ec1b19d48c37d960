import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { loadConfig } from '../../src/config.ts'
import { openProgram } from '../../src/open.ts'
import { dropPostgresDatabase, freshPostgresDatabase } from '../support/postgres.ts'
import { onEachDatabase } from '../support/program.ts'
import { type RunOptions, run as runAnywhere, temporaryDirectory } from './cli.ts'

interface Shown {
  name: string
  alias: string
  records: number
  columns: { name: string; type: string; required: boolean; default: unknown; references: string | null }[]
}

onEachDatabase('appsvc tables', (kind) => {
  const { dir, end } = temporaryDirectory()
  const file = (name: string) => join(dir, name)
  let environment: Record<string, string> = { APPSVC_DATA_DIR: join(dir, 'data') }
  let url: string | undefined
  const run = (argv: string[], options?: RunOptions) => runAnywhere(argv, { ...options, environment })

  before(async () => {
    if (kind === 'postgres') {
      url = await freshPostgresDatabase()
      environment = { ...environment, APPSVC_DATABASE_URL: url }
    }
    await run(['apps', 'create', 'First'])
    await run(['apps', 'create', 'Second'])
    await run(['tables', 'create', '1', 'authors', '--column', 'name:string:required:unique'])
  })
  after(async () => {
    if (url) await dropPostgresDatabase(url)
    end()
  })

  const columns = [
    'title:string:required',
    'year:integer:indexed',
    'price:number:default=9.5',
    'sold:boolean:default=false',
    'printed:datetime:default=2026-01-02T10:00:00Z',
    'blurb:text',
    'meta:json:default={"a": ["x:y"]}',
    'author:reference=authors',
  ]

  it('create makes a table of the columns in the flags', async () => {
    const made = await run([
      'tables',
      'create',
      'First',
      'books',
      ...columns.flatMap((one) => ['--column', one]),
      '--json',
    ])
    expect(made.code, made.stderr).to.equal(0)
    const table = made.json<Shown>()
    expect(table).to.deep.include({ name: 'books', alias: '1_books' })
    expect(table.columns.map(({ name }) => name)).to.deep.equal(columns.map((one) => one.split(':')[0]))
    expect(table.columns[0]).to.deep.include({ type: 'string', required: true })
    expect(table.columns[4]).to.deep.include({ default: '2026-01-02T10:00:00+0000' })
    expect(table.columns[6]).to.deep.include({ default: { a: ['x:y'] } })
    expect(table.columns[7]).to.deep.include({ type: 'reference', references: 'authors' })
  })

  it('list and show tell the columns and count the records', async () => {
    const tables = (await run(['tables', 'list', '1', '--json'])).json<{ tables: Shown[] }>().tables
    expect(tables.map(({ alias, records }) => [alias, records])).to.deep.equal([
      ['1_authors', 0],
      ['1_books', 0],
    ])
    const shown = await run(['tables', 'show', '1', '1_books'])
    expect(shown.stdout).to.match(/^author +reference=authors +indexed$/m)
    expect(shown.stdout).to.match(/^in the database +data_1_books$/m)
    expect((await run(['tables', 'list', '2'])).stdout).to.include('There are no tables yet')
    expect((await run(['tables', 'show', '2', 'books'])).code).to.equal(66)
  })

  const refused: [string, string[], number, RegExp][] = [
    ['no type', ['title'], 64, /must name a type/],
    ['an unknown type', ['title:varchar'], 64, /no type "varchar"/],
    ['an unknown word', ['title:string:primary'], 64, /"primary" is not a setting/],
    ['a default of another type', ['n:integer:default=x'], 65, /n has a default that must be an integer/],
    ['a reserved name', ['id:integer'], 65, /reserved/],
    ['an unknown table', ['a:reference=nothing'], 65, /nothing/],
    ['a reference without a table', ['a:reference'], 65, /reference=TABLE/],
    ['an index on a text', ['a:text:indexed'], 65, /use string/],
  ]
  for (const [what, flags, code, why] of refused) {
    it(`create refuses a column with ${what}`, async () => {
      const done = await run(['tables', 'create', '1', 'wrong', ...flags.flatMap((one) => ['-c', one])])
      expect(done.stderr).to.match(why)
      expect(done.code).to.equal(code)
    })
  }

  it('import stores what fits, tells what does not, and ends with 65 then', async () => {
    const lines = [
      '{"title": "one", "year": 1999, "author": null}',
      '{"title": "two", "year": "1999"}',
      '',
      '{"year": 2000}',
      '{',
      '{"title": "three", "zzz": 1, "author": 7}',
      '{"title": "four", "meta": {"x": 1}, "price": null}',
    ]
    writeFileSync(file('books.jsonl'), lines.join('\n'))
    const done = await run([
      'tables',
      'import',
      '1',
      'books',
      file('books.jsonl'),
      '--refused',
      file('refused.jsonl'),
      '--json',
    ])
    expect(done.code).to.equal(65)
    expect(done.json()).to.deep.equal({ alias: '1_books', imported: 2, refused: 4 })
    expect(done.stderr).to.include('line 2: year must be an integer, not the string "1999"')
    const told = readFileSync(file('refused.jsonl'), 'utf8')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as { line: number; errors: object })
    expect(told.map(({ line, errors }) => [line, Object.keys(errors)])).to.deep.equal([
      [2, ['year']],
      [4, ['title']],
      [5, ['']],
      [6, ['zzz']],
    ])
    expect(statSync(file('refused.jsonl')).mode & 0o777).to.equal(0o600)
    expect((await run(['tables', 'show', '1', 'books', '--json'])).json<Shown>().records).to.equal(2)
  })

  it('import takes CSV from standard input, in several transactions, and goes on from a line', async () => {
    const rows = Array.from({ length: 1200 }, (_, i) => `"author ${i}"`)
    const stdin = `name\n${rows.join('\n')}\n"author 5"\n"author 1199"\n`
    const done = await run(['tables', 'import', '1', 'authors', '-', '--format', 'csv', '--json'], { stdin })
    expect(done.json()).to.deep.equal({ alias: '1_authors', imported: 1200, refused: 2 })
    expect(done.stderr).to.include('line 1202: name must be unique: another record has "author 5"')
    const again = await run(
      ['tables', 'import', '1', 'authors', '-', '--format', 'csv', '--from-line', '1203', '--json'],
      { stdin },
    )
    expect(again.json()).to.deep.equal({ alias: '1_authors', imported: 0, refused: 1 })
  })

  it('import judges references and unique values within one transaction', async () => {
    await run(['tables', 'create', '1', 'nodes', '-c', 'parent:reference=nodes', '-c', 'code:string:unique'])
    const stdin = '{"code":"a"}\n{"code":"a"}\n{"code":"b","parent":1}\n{"code":"b"}\n'
    const done = await run(['tables', 'import', '1', 'nodes', '-', '--json'], { stdin })
    expect(done.json()).to.deep.include({ imported: 2, refused: 2 })
    expect(done.stderr)
      .to.include('line 3: parent must be the id of a record of nodes')
      .and.include('line 2: code must be unique')
  })

  it('import --keep-ids takes records that refer to themselves and to those before them', async () => {
    await run(['tables', 'create', '1', 'tree', '-c', 'parent:reference=tree', '-c', 'code:string:unique'])
    const times = '"createdAt":"2026-01-01T00:00:00Z","updatedAt":"2026-01-01T00:00:00Z"'
    const lines = ['"id":1', '"id":2,"parent":1', '"id":3,"parent":3', '"id":4,"parent":5', '"id":5,"parent":2']
    const broken = ['"id":6,"code":7', '"id":7,"parent":6', '"id":8,"parent":7', '"id":9007199254740991']
    const stdin = [...lines, ...broken].map((fields) => `{${fields},${times}}\n`).join('')
    const argv = ['tables', 'import', '1', 'tree', '-', '--keep-ids', '--json']
    const first = await run(argv, { stdin })
    expect(first.json()).to.deep.include({ imported: 4, refused: 5 })
    expect(first.stderr)
      .to.include('line 4: parent must be the id of a record of tree: there is none with 5')
      .and.include('line 7: parent must be the id of a record of tree: there is none with 6')
      .and.include('line 8: parent must be the id of a record of tree: there is none with 7')
      .and.include('line 9: id must be at most 4503599627370496')
    const again = await run(argv, { stdin })
    expect(again.json()).to.deep.include({ imported: 1, refused: 8 })
    expect((await run(['tables', 'show', '1', 'tree', '--json'])).json()).to.deep.include({ records: 5 })
  })

  for (const format of ['csv', 'jsonl']) {
    it(`export and import again give the same records to the letter (${format})`, async () => {
      const { config } = await loadConfig({ environment })
      const program = openProgram({ config })
      await program.inTransaction(async (tx) => {
        const texts = ['=1+1', "'=x", '+49', '-', '@a', '', ' pad ', 'a,"b"\r\nc', "it's", '\t', '😀\u2028', 'null']
        const table = await tx.tables.create(1, `round_${format}`, [
          ...['s', 't'].map((name, i) => ({
            name,
            type: i === 0 ? ('string' as const) : ('text' as const),
            required: false,
            unique: false,
            indexed: false,
            default: 'd',
            references: null,
          })),
          ...(['integer', 'number', 'boolean', 'datetime', 'json'] as const).map((type) => ({
            name: `c_${type}`,
            type,
            required: false,
            unique: false,
            indexed: false,
            default: null,
            references: null,
          })),
        ])
        const bodies = texts.map((text, i) => ({
          s: text,
          t: i % 2 === 0 ? null : text,
          c_integer: -i,
          c_number: i / 7,
          c_boolean: i % 2 === 0,
          c_datetime: `2026-01-02T03:04:05.${100 + i}Z`,
          c_json: [text, { [`k${text.length}`]: -i }, text][i % 3],
        }))
        await tx.records.create(1, table.alias, [...bodies, { s: null, t: null }])
        await tx.records.delete(1, table.alias, 3)
        await tx.tables.create(
          2,
          `round_${format}`,
          table.columns.map((one) => ({ ...one, references: null })),
        )
      })
      await program.close()
      const first = file(`first.${format}`)
      const exported = await run(['tables', 'export', '1', `round_${format}`, first, '--json'])
      expect(exported.json()).to.deep.include({ exported: 12 })
      expect(statSync(first).mode & 0o777).to.equal(0o600)
      const imported = await run(['tables', 'import', '2', `round_${format}`, first, '--keep-ids', '--json'])
      expect(imported.code, imported.stderr).to.equal(0)
      const second = file(`second.${format}`)
      await run(['tables', 'export', 'Second', `round_${format}`, second])
      expect(readFileSync(second, 'utf8')).to.equal(readFileSync(first, 'utf8'))
      const stdout = await run(['tables', 'export', '2', `round_${format}`, '--format', format])
      expect(stdout.stdout).to.equal(readFileSync(first, 'utf8'))
      // The ids go on behind those of the file; without --keep-ids there are new ones.
      const more = await run(['tables', 'import', '2', `round_${format}`, first, '--json'])
      expect(more.json()).to.deep.include({ imported: 12, refused: 0 })
      expect((await run(['tables', 'export', '2', `round_${format}`])).lines<{ id: number }>().at(-1)!.id).to.equal(
        13 + 12,
      )
      const twice = await run(['tables', 'import', '2', `round_${format}`, first, '--keep-ids', '--json'])
      expect(twice.json()).to.deep.include({ imported: 0, refused: 12 })
      expect(twice.stderr).to.include('id must be unique: there is a record with 1')
    })
  }

  it('import and export say what is wrong with a file', async () => {
    const rows: [string[], number, RegExp, string?][] = [
      [['import', '1', 'books', file('none.csv')], 66, /there is no file/],
      [['import', '1', 'books', dir, '--format', 'csv'], 65, /is a directory/],
      [['import', '1', 'books', file('books.txt')], 64, /--format/],
      [['import', '1', 'books', '-', '--format', 'csv'], 65, /zzz is not a field/, 'title,zzz\n'],
      [['import', '1', 'books', '-', '--format', 'csv'], 65, /empty/, ''],
      [['import', '1', 'nothing', '-'], 66, /no table/, ''],
      [['export', '1', 'books', join(dir, 'no', 'dir.csv')], 69, /cannot be written: there is no directory/],
    ]
    for (const [argv, code, why, stdin] of rows) {
      const done = await run(['tables', ...argv], { stdin: stdin ?? '' })
      expect(done.stderr, argv.join(' ')).to.match(why)
      expect(done.code, argv.join(' ')).to.equal(code)
    }
    expect(existsSync(join(dir, 'no'))).to.equal(false)
  })

  it('alter changes a table with records, all or nothing, and asks before values go', async () => {
    const before = (await run(['tables', 'export', '1', 'books'])).lines<{ title: string }>()
    expect((await run(['tables', 'alter', '1', 'books', '--set', 'year:required'])).stderr).to.include(
      '1 record has no value',
    )
    expect((await run(['tables', 'alter', '1', 'books', '--drop', 'blurb'])).code).to.equal(64)
    expect((await run(['tables', 'alter', '1', 'books'])).code).to.equal(64)
    const done = await run([
      'tables',
      'alter',
      '1',
      'books',
      '--drop',
      'blurb',
      '--rename',
      'year=published',
      '--add',
      'isbn:string:unique',
      '--set',
      'title:indexed:default=untitled',
      '--set',
      'isbn:indexed',
      '--unset',
      'price:default',
      '--rename-to',
      'novels',
      '--yes',
      '--json',
    ])
    expect(done.code, done.stderr).to.equal(0)
    const table = done.json<Shown>()
    expect(table.alias).to.equal('1_novels')
    expect(table.columns.map(({ name }) => name)).to.deep.equal([
      'title',
      'published',
      'price',
      'sold',
      'printed',
      'meta',
      'author',
      'isbn',
    ])
    expect(table.columns[0]).to.deep.include({ default: 'untitled', indexed: true })
    expect(table.columns[2]).to.deep.include({ default: null })
    const after = (await run(['tables', 'export', '1', 'novels'])).lines<{ title: string }>()
    expect(after.map(({ title }) => title)).to.deep.equal(before.map(({ title }) => title))
    const collated = await run(['tables', 'alter', '1', 'novels', '--set', 'title:collate=de', '--json'])
    expect(collated.json<Shown>().columns[0]).to.include({ collate: 'de' }).and.not.have.property('isCollating')
    expect((await run(['tables', 'show', '1', 'novels'])).stdout).to.include('collate=de')
    const plain = await run(['tables', 'alter', '1', 'novels', '--unset', 'title:collate', '--json'])
    expect(plain.json<Shown>().columns[0]).to.not.have.property('collate')
    const refused = await run(['tables', 'alter', '1', 'novels', '--set', 'title:collate=klingon'])
    expect([refused.code, refused.stderr]).to.deep.equal([65, refused.stderr])
    expect(refused.stderr).to.include('cannot have collate=klingon: use one of und, cs')
    for (const wrong of ['title', 'title:', 'title:primary', 'title:required=x', 'title:collate']) {
      expect((await run(['tables', 'alter', '1', 'novels', '--set', wrong])).code, wrong).to.equal(64)
    }
    expect((await run(['tables', 'alter', '1', 'novels', '--set', 'zzz:required'])).code).to.equal(65)
    expect((await run(['tables', 'alter', '1', 'novels', '--recount'])).code).to.equal(0)
  })

  it('drop asks, refuses while another table refers to it, and deletes for good', async () => {
    expect((await run(['tables', 'drop', '1', 'novels'])).code).to.equal(64)
    const refusal = await run(['tables', 'drop', '1', 'authors', '--yes'])
    expect([refusal.code, refusal.stderr]).to.deep.equal([
      75,
      'appsvc: novels.author refer to the table authors: drop those columns first\n',
    ])
    expect((await run(['tables', 'drop', '1', 'novels', '--yes', '--json'])).json()).to.deep.equal({
      name: 'novels',
      alias: '1_novels',
      records: 2,
      dropped: true,
    })
    expect((await run(['tables', 'drop', '1', 'authors', '--yes'])).code).to.equal(0)
    expect((await run(['apps', 'delete', '2', '--yes'])).code).to.equal(0)
  })

  it('keys create shows a key once; list shows its beginning; revoke ends it', async () => {
    const made = await run([
      'keys',
      'create',
      '--app',
      '1',
      '--permissions',
      'read, create',
      '--name',
      'site',
      '--json',
    ])
    const key = made.json<{ id: number; key: string; permissions: string[] }>()
    expect(key).to.deep.include({ id: 1, name: 'site', permissions: ['create', 'read'] })
    expect(key.key).to.match(/^rk_[\w-]{43}$/)
    const list = await run(['keys', 'list'])
    expect(list.stdout).to.include(key.key.slice(0, 7)).and.to.not.include(key.key)
    expect((await run(['keys', 'revoke', '1'])).code).to.equal(0)
    const [revoked] = (await run(['keys', 'list', '--json'])).json<{ keys: { revokedAt: string | null }[] }>().keys
    expect(revoked!.revokedAt).to.match(/\+0000$/)
    expect((await run(['keys', 'revoke', '9'])).code).to.equal(66)
    for (const permissions of ['', 'read,write', 'all']) {
      expect((await run(['keys', 'create', '--permissions', permissions])).code, permissions).to.equal(65)
    }
  })
})
