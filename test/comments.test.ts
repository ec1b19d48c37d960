import { join } from 'node:path'
import { expect } from 'chai'
import { readTree, type Tree } from './support/imports.ts'

const ROOT = join(import.meta.dirname, '..')

/** Files that are not read: made of the interface document, whose descriptions are no doc comments of ours, and this one, whose texts are wrong on purpose. */
const NOT_READ = ['src/console/api/schema.ts', 'clients/server/src/schema.ts', 'test/comments.test.ts']

/** The first word of a doc comment, on its first line or on its second. Behind the stars of a glob there is no space. */
const FIRST_WORD = /\/\*\*\s+(?:\*\s+)?(\w+)/g

/** Pronouns without a noun: what they stand for has a name, with which the comment begins instead. */
const HEADLESS = ['what', 'who', 'whom', 'whose', 'those', 'which', 'it', 'they', 'these', 'there']

/** Words that begin half a sentence: what is asked or placed by them has a name too. */
const HALF = ['how', 'whether', 'why', 'when', 'where', 'if', 'of', 'as']

/** Doc comments that begin with one of the words, as `file:line: word`. */
function beginning(words: readonly string[], tree: Tree): string[] {
  const wrong = new Set(words)
  return [...tree].flatMap(([path, source]) =>
    [...source.matchAll(FIRST_WORD)]
      .filter(([, word]) => wrong.has(word!.toLowerCase()))
      .map(({ index, 1: word }) => `${path}:${source.slice(0, index).split('\n').length}: ${word}`),
  )
}

describe('doc comments', () => {
  const isOurs = ([path]: readonly [string, string]) => !NOT_READ.includes(path)
  const tree = new Map(
    [...readTree(ROOT, ['bin', 'src', 'clients', 'bench', 'packaging', 'migrations', 'test'])].filter(isOurs),
  )

  it('are many', () => {
    const count = [...tree.values()].flatMap((source) => source.match(FIRST_WORD) ?? []).length
    expect(count).to.be.above(4000)
  })

  it('begin with a noun or a verb, never with What, Who, Whom, Whose, Those, Which, It, They, These or There', () => {
    expect(beginning(HEADLESS, tree)).to.deep.equal([])
  })

  it('begin with no half sentence: How, Whether, Why, When, Where, If, Of or As', () => {
    expect(beginning(HALF, tree)).to.deep.equal([])
  })

  const found = (source: string) => beginning(HEADLESS, new Map([['src/a.ts', source]]))

  it('are found with their line, on the first line of a comment and on the second', () => {
    expect(found('/** What a caller may see. */\nconst a = 1\n\n/**\n * Those that send.\n */')).to.deep.equal([
      'src/a.ts:1: What',
      'src/a.ts:4: Those',
    ])
    expect(found('interface A {\n  /** whose turn it is */\n  a: 1 /** Who waits. */\n}')).to.deep.equal([
      'src/a.ts:2: whose',
      'src/a.ts:3: Who',
    ])
  })

  it('are left alone when they begin with a noun or a verb', () => {
    const sources = [
      '/** Fields that a caller may see: what they hold, and who gets them. */',
      '/** Whatever the caller sent. */',
      '/** `what` is a noun. */',
      '// What a line says.',
      '/* Who it is. */',
      `globSync('src/**/*.ts') // What they hold.`,
    ]
    expect(sources.flatMap(found)).to.deep.equal([])
  })
})
