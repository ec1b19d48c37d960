import { globSync, readFileSync } from 'node:fs'
import { posix } from 'node:path'

/** Source files by their path from the root, with slashes. */
export type Tree = ReadonlyMap<string, string>

/** One import of any form: static, for effect, `import type`, export-from, `import()`. */
export interface Import {
  from: string
  /** A file of the tree by its path, or a package as it is written. Undefined when `import()` gets no plain text. */
  to: string | undefined
  /** True when it vanishes at run time. */
  typeOnly: boolean
}

const COMMENT_OR_TEXT = /\/\*[\s\S]*?\*\/|\/\/[^\n]*|'(?:\\.|[^'\\\n])*'|"(?:\\.|[^"\\\n])*"|`(?:\\[\s\S]|[^`\\])*`/g
const FROM = /\b(?:import|export)\b(\s+type\b(?!\s*(?:,|from\b)))?[\s\w$*{},]*?\bfrom\s*(['"])([^'"]+)\2/g
const EFFECT = /\bimport\s*(['"])([^'"]+)\1/g
const CALL = /\bimport\s*\(\s*(?:(['"])([^'"]+)\1)?/g
const REQUIRE = /\brequire\s*\(\s*(['"])([^'"]+)\1/g

/** The program text without comments and template texts, which may hold anything that looks like an import. */
export function withoutComments(source: string): string {
  return source.replace(COMMENT_OR_TEXT, (found) =>
    found.startsWith('/') ? ' ' : found.startsWith('`') ? '``' : found,
  )
}

/** Every import of every file of a tree. */
export function readImports(tree: Tree): Import[] {
  const imports: Import[] = []
  for (const [from, source] of tree) {
    const text = withoutComments(source)
    const add = (written: string | undefined, typeOnly = false) =>
      imports.push({
        from,
        typeOnly,
        to: written?.startsWith('.') ? posix.join(posix.dirname(from), written) : written,
      })
    for (const [, type, , written] of text.matchAll(FROM)) add(written, type !== undefined)
    for (const [, , written] of text.matchAll(EFFECT)) add(written)
    for (const [, , written] of text.matchAll(CALL)) add(written)
    for (const [, , written] of text.matchAll(REQUIRE)) add(written)
  }
  return imports
}

/** The source files below some directories of the checkout. */
export function readTree(root: string, directories: readonly string[]): Tree {
  const patterns = directories.map((directory) => `${directory}/**/*.{ts,tsx,js,cjs,mjs}`)
  const paths = globSync(patterns, { cwd: root }).map((path) => path.replaceAll('\\', '/'))
  return new Map(paths.sort().map((path) => [path, readFileSync(posix.join(root, path), 'utf8')]))
}
