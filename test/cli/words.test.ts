import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { ts } from '@ts-morph/common'
import { expect } from 'chai'
import { ROOT } from './cli.ts'

/** The word of heads and labels for a thing, as the console says it, and words that they may not have for it. */
const INSTEAD: readonly { write: string; not: RegExp; but?: RegExp }[] = [
  // A backup is at an address, which `restore` takes.
  { write: 'link, or URL of a webhook', not: /^address$/i, but: /backups\/list\.ts$/ },
  { write: 'app opens', not: /^(?:matches|lookups)$/i },
  { write: 'created, or created by', not: /^(?:made|made by|taken)$/i },
  { write: 'changed', not: /^updated$/i },
  { write: 'when composing', not: /portal/i },
  { write: 'state', not: /^status$/i, but: /webhooks\/(?:attempts|test)\.ts$/ },
  { write: 'recipients', not: /^audience$|^not reached$/i },
  { write: 'confirmed', not: /^delivered$/i, but: /in-app\/show\.ts$/ },
  { write: 'started', not: /^begun$/i },
  { write: 'last seen', not: /^(?:seen|last)$/i, but: /status\/print\.ts$/ },
  { write: 'first seen', not: /^first active$/i },
  { write: 'time', not: /^at$/i },
  { write: 'time zone', not: /^timezone$/i },
  { write: 'scopes', not: /^(?:may|rights)$/i },
  { write: 'second step', not: /second factor/i },
  { write: 'place, arrived, left', not: /^(?:location|in|out)$/i },
  {
    write: 'outcome',
    not: /^(?:became|why)$/i,
    but: /(?:status\/print|webhooks\/(?:attempts|test)|series\/show)\.ts$/,
  },
  { write: 'expires', not: /^expires at$/i },
]

/** Heads of tables and labels of fields in a file of commands. */
function wordsIn(path: string): string[] {
  const tree = ts.createSourceFile(path, readFileSync(join(ROOT, path), 'utf8'), ts.ScriptTarget.Latest, true)
  const words: string[] = []
  const visit = (node: ts.Node): void => {
    if (ts.isArrayLiteralExpression(node))
      for (const one of node.elements) if (ts.isStringLiteral(one) && HEAD.test(one.text)) words.push(one.text)
    if (ts.isCallExpression(node) && node.expression.getText().endsWith('out.fields'))
      words.push(...labelsOf(node.arguments[0]!))
    ts.forEachChild(node, visit)
  }
  visit(tree)
  return words
}

const HEAD = /^[A-Z]+(?: [A-Z]+)*$/

/** Names of the properties of an object, with the names in what is spread into it. */
function labelsOf(node: ts.Expression): string[] {
  if (ts.isParenthesizedExpression(node)) return labelsOf(node.expression)
  if (ts.isBinaryExpression(node)) return labelsOf(node.right)
  if (!ts.isObjectLiteralExpression(node)) return []
  return node.properties.flatMap((one) =>
    ts.isSpreadAssignment(one) ? labelsOf(one.expression) : [one.name.getText().replaceAll("'", '')],
  )
}

describe('heads and labels that commands print', () => {
  it('have the words of the console, one for one thing', () => {
    const found = globSync('src/cli/**/*.ts', { cwd: ROOT }).flatMap((path) =>
      wordsIn(path).map((word) => ({ path, word })),
    )
    expect(found.length).to.be.above(400)
    const wrong = found.flatMap(({ path, word }) =>
      INSTEAD.filter(({ not, but }) => not.test(word) && but?.test(path) !== true).map(
        ({ write }) => `${path}: ${word}, not ${write}`,
      ),
    )
    expect(wrong).to.deep.equal([])
  })
})
