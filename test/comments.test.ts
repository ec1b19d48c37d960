import { join } from 'node:path'
import { expect } from 'chai'
import { readTree, type Tree } from './support/imports.ts'

const ROOT = join(import.meta.dirname, '..')

/** Made of the interface document, whose descriptions are no doc comments of ours. */
const GENERATED = 'src/console/api/schema.ts'

/** Folders and files whose doc comments other work is about to rewrite. To be emptied. */
const NOT_YET: readonly string[] = ['src/console', 'src/present', 'src/server/openapi']

/** The first word of a doc comment, on its first line or on its second. Behind the stars of a glob there is no space. */
const FIRST_WORD = /\/\*\*\s+(?:\*\s+)?(\w+)/g

/** Pronouns without a noun: what they stand for has a name, with which the comment begins instead. */
const HEADLESS = new Set(['what', 'who', 'whom', 'whose', 'those', 'which'])

/** Doc comments that begin with a headless pronoun, as `file:line: word`. */
function headless(tree: Tree): string[] {
  return [...tree].flatMap(([path, source]) =>
    [...source.matchAll(FIRST_WORD)]
      .filter(([, word]) => HEADLESS.has(word!.toLowerCase()))
      .map(({ index, 1: word }) => `${path}:${source.slice(0, index).split('\n').length}: ${word}`),
  )
}

describe('doc comments', () => {
  it('begin with a noun or a verb, never with What, Who, Whom, Whose, Those or Which', () => {
    const isHeld = (path: string) =>
      path !== GENERATED && !NOT_YET.some((one) => path === one || path.startsWith(`${one}/`))
    const tree = new Map([...readTree(ROOT, ['bin', 'src', 'bench', 'packaging'])].filter(([path]) => isHeld(path)))
    const count = [...tree.values()].flatMap((source) => source.match(FIRST_WORD) ?? []).length
    expect(count).to.be.above(3000)
    expect(headless(tree)).to.deep.equal([])
  })

  const found = (source: string) => headless(new Map([['src/a.ts', source]]))

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
