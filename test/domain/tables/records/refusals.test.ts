import { expect } from 'chai'
import { partName } from '../../../../src/domain/tables/definition/names.ts'
import {
  asRefusedDelete,
  asRefusedWrite,
  asUnanswered,
  isStaleSchema,
  takenMessage,
} from '../../../../src/domain/tables/records/refusals.ts'
import type { Column, Table } from '../../../../src/domain/tables/types.ts'
import { isAppError } from '../../../../src/platform/errors.ts'

describe('what a database refuses of a record', () => {
  const [name, other] = [
    { id: 1, name: 'name', type: 'string', unique: true },
    { id: 2, name: 'other', type: 'reference', references: 'things' },
  ] as unknown as [Column, Column]
  const table = { id: 7, appId: 1, name: 'things', columns: [name, other] } as unknown as Table
  const thrown = (more: object, message = 'no') => Object.assign(new Error(message), more)
  /** Tells what an error becomes: its code with the fields or the text, or the same. */
  const told = (error: unknown, becomes: unknown) =>
    isAppError(becomes)
      ? `${becomes.code} ${JSON.stringify(becomes.details.fields ?? becomes.message)}`
      : becomes === error && 'the same'

  const unique = 'invalid {"name":["must be unique: another record has the same value"]}'
  const gone = 'invalid {"other":["must be the id of a record: that one was just deleted"]}'
  const writes: [what: string, error: unknown, becomes: string][] = [
    ['a value that is there', thrown({ code: '23505', constraint: partName(table, name, 'uq') }), unique],
    ['a reference to nothing', thrown({ code: '23503', constraint: partName(table, other, 'ref') }), gone],
    ['a rule of another table', thrown({ code: '23505', constraint: 'x' }), 'the same'],
    ['a rule without a name', thrown({ code: '23505' }), 'the same'],
    ['another rule', thrown({ code: '23514', constraint: partName(table, name, 'uq') }), 'the same'],
    ['nothing at all', null, 'the same'],
  ]
  for (const [what, error, becomes] of writes) {
    it(`is told of ${what}`, () => expect(told(error, asRefusedWrite(table, error))).to.equal(becomes))
  }

  it('is told of a record that others refer to', () => {
    const conflict =
      'conflict "the record cannot be deleted: records of another table refer to it; change or delete those first"'
    for (const [code, becomes] of [
      ['23503', conflict],
      ['SQLITE_CONSTRAINT_FOREIGNKEY', conflict],
      ['SQLITE_CONSTRAINT_UNIQUE', 'the same'],
      ['23505', 'the same'],
    ]) {
      const error = thrown({ code })
      expect(told(error, asRefusedDelete(error)), code).to.equal(becomes)
    }
  })

  it('is told of a query that took too long, or met a table that changes', () => {
    const altered = 'unavailable "the table is being altered: try again"'
    const slow = 'unavailable "the query takes too long: index the columns that it sorts and filters by, or use after"'
    const rows: [more: object, message: string, becomes: string][] = [
      [{ code: '57014' }, 'canceling statement', slow],
      [{ code: '42703' }, 'no column', altered],
      [{ code: '42P01' }, 'no relation', altered],
      [{ code: 'SQLITE_ERROR' }, 'no such column: x', altered],
      [{ code: 'SQLITE_ERROR' }, 'no such table: x', altered],
      [{ code: 'SQLITE_ERROR' }, 'near "x": syntax error', 'the same'],
      [{ code: 'SQLITE_BUSY' }, 'no such table: x', 'the same'],
      [{}, 'no such table: x', 'the same'],
    ]
    for (const [more, message, becomes] of rows) {
      const error = thrown(more, message)
      expect(told(error, asUnanswered(error)), message).to.equal(becomes)
      expect(isStaleSchema(error), message).to.equal(becomes === altered)
    }
  })

  it('shows a value that is there unless it is long', () => {
    expect(takenMessage(name, 'x'.repeat(58))).to.equal(`must be unique: another record has "${'x'.repeat(58)}"`)
    expect(takenMessage(name, 'x'.repeat(59))).to.equal('must be unique: another record has the same value')
  })
})
