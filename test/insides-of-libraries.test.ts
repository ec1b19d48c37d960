import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import BetterSqliteClient from 'knex/lib/dialects/better-sqlite3/index.js'
import PostgresDialect from 'knex/lib/dialects/postgres/index.js'
import SqliteTransaction from 'knex/lib/dialects/sqlite3/execution/sqlite-transaction.js'
import SqliteQueryCompiler from 'knex/lib/dialects/sqlite3/query/sqlite-querycompiler.js'
import { integer, list, parseJson, shape } from '../src/platform/values/parse.ts'

const ROOT = join(import.meta.dirname, '..')

/**
 * Libraries of which we use what they do not promise. After an upgrade of one read its change log and the named parts of its source, look
 * at our files, run their tests and the benches of writes, and only then write the new version here.
 */
const LOOKED_AT = [
  {
    name: 'knex',
    version: '3.3.0',
    parts: 'lib/execution/transaction.js, lib/dialects/{better-sqlite3,sqlite3,postgres}',
    ours: 'src/platform/db/{sqlite-client,postgres,knex-internals.d}.ts',
  },
  {
    name: 'yup',
    version: '1.7.1',
    parts:
      '_typeCheck, _validate, _cast and createValidation of Schema, _validate and _cast of ArraySchema, and _validate, _cast, _nodes and clone of ObjectSchema',
    ours: '`list` of src/platform/values/parse.ts, and src/platform/values/{absent-fields,quick-check}.ts',
  },
]

describe('the insides of libraries', () => {
  for (const { name, version, parts, ours } of LOOKED_AT) {
    it(`of ${name} are those of the version that was looked at`, () => {
      const { version: installed } = JSON.parse(
        readFileSync(join(ROOT, 'node_modules', name, 'package.json'), 'utf8'),
      ) as {
        version: string
      }
      const todo = `${name} was upgraded: compare ${parts} of both versions with ${ours}, run their tests and npm run bench -- ingest, then change the version in this test`
      expect(installed, todo).to.equal(version)
    })
  }

  it('of Knex have every method that we replace or call', () => {
    for (const [type, names] of [
      [BetterSqliteClient, ['acquireConnection', '_query', '_formatBindings', 'acquireRawConnection']],
      [SqliteTransaction, ['_onAcquire', 'isCompleted', 'begin']],
      [SqliteQueryCompiler, ['limit']],
      [PostgresDialect, ['acquireConnection', 'releaseConnection', 'query', '_query']],
    ] as const) {
      const methods = type.prototype as unknown as Record<string, unknown>
      for (const name of names) expect(methods[name], `${type.name}.${name}`).to.be.a('function')
    }
  })

  it('of Knex settle a transaction by _resolver and _rejecter, after _completed', () => {
    const source = readFileSync(join(ROOT, 'node_modules/knex/lib/execution/transaction.js'), 'utf8')
    for (const member of ['_completed', '_resolver', '_rejecter', 'trxClient']) {
      expect(source).to.include(`this.${member} = `)
    }
  })

  it('of yup ask whether a value has the type of its schema before they read an item of it', () => {
    const asked: number[] = []
    const item = integer().test('seen', (value) => asked.push(value as number) > 0)
    const schema = shape({ ids: list(item, { max: 2 }).required() })
    expect(() => parseJson(schema, { ids: [1, 2, 3] })).to.throw()
    expect(asked).to.deep.equal([])
    parseJson(schema, { ids: [1, 2] })
    expect(asked).to.deep.equal([1, 2])
  })
})
