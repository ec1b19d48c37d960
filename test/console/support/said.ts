import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { ts } from '@ts-morph/common'

const CONSOLE = join(import.meta.dirname, '../../../src/console')
/** Sources that say nothing to people: the interface, and the page that shows parts to developers. */
const SILENT = ['api/schema.ts', 'pages/gallery/gallery.tsx']

/** A text of a source of the console. */
export interface Said {
  file: string
  text: string
}

/** Reads the texts of a source, without its comments: strings, the parts of templates, and what stands between tags. */
export function textsIn(file: string, source: string): Said[] {
  const kind = file.endsWith('x') ? ts.ScriptKind.TSX : ts.ScriptKind.TS
  const tree = ts.createSourceFile(file, source, ts.ScriptTarget.Latest, true, kind)
  const found: Said[] = []
  const visit = (node: ts.Node): void => {
    if (ts.isImportDeclaration(node)) return
    if (ts.isStringLiteralLike(node) || ts.isTemplateLiteralToken(node) || ts.isJsxText(node)) {
      const text = node.text.replace(/\s+/g, ' ').trim()
      if (text !== '') found.push({ file, text })
    }
    ts.forEachChild(node, visit)
  }
  visit(tree)
  return found
}

/** Every text of the console. */
export const saidByConsole = (): Said[] =>
  globSync('**/*.{ts,tsx}', { cwd: CONSOLE })
    .filter((file) => !SILENT.includes(file))
    .flatMap((file) => textsIn(file, readFileSync(join(CONSOLE, file), 'utf8')))
