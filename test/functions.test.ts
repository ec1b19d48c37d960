import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { measureFunctions } from './support/function-lengths.ts'

const ROOT = join(import.meta.dirname, '..')

/** The most lines of a function. A function in it that has a name counts as one line, and is measured by itself. */
const MOST_LINES = 60
/** A function of so few statements is a table: of data, routes, parts or markup. It may be longer. */
const TABLE_STATEMENTS = 15

/** Types that packaging/schemas.ts makes. */
const GENERATED = ['src/console/api/schema.ts', 'clients/server/src/schema.ts']

/** The functions that are too long, by file and name. */
function tooLong(): Map<string, number> {
  const files = ['src', 'clients'].flatMap((root) =>
    readdirSync(join(ROOT, root), { recursive: true, encoding: 'utf8' }).map((file) => join(root, file)),
  )
  const sources = files.filter((file) => /\.tsx?$/.test(file) && !GENERATED.includes(file))
  return new Map(
    sources.flatMap((file) =>
      measureFunctions(file, readFileSync(join(ROOT, file), 'utf8'))
        .filter(({ lines, statements }) => lines > MOST_LINES && statements > TABLE_STATEMENTS)
        .map(({ name, lines }): [string, number] => [`${file.replace(/^src\//, '')} ${name}`, lines]),
    ),
  )
}

describe('functions of src and clients', () => {
  it('have at most 60 lines', () => {
    expect([...tooLong()].map(([name, lines]) => `${name}: ${lines}`)).to.eql([])
  })

  it('are measured without the functions in them that have a name', () => {
    const source = `
      function whole(a: number) {
        if (a > 1) return a
        const inner = () => {
          return a
        }
        return [1].map((n) => {
          return n + inner()
        })
      }`
    expect(measureFunctions('example.ts', source)).to.eql([
      { name: 'whole', lines: 7, statements: 5 },
      { name: 'inner', lines: 3, statements: 1 },
    ])
  })
})
