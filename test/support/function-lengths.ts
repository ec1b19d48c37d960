import { ts } from '@ts-morph/common'

/** A function of a source. */
export interface MeasuredFunction {
  name: string
  /** Its lines, where a function in it that has a name counts as one. */
  lines: number
  /** Its statements, without those of functions in it that have a name. */
  statements: number
}

type FunctionNode = ts.FunctionLikeDeclaration & { body: ts.Node }

const isFunction = (node: ts.Node): node is FunctionNode =>
  ts.isFunctionLike(node) && (node as ts.FunctionLikeDeclaration).body !== undefined

/** The name of a function; undefined for one that is an argument or a part of an expression. */
function nameOf(node: FunctionNode): string | undefined {
  if (ts.isConstructorDeclaration(node)) return 'constructor'
  if (node.name) return node.name.getText()
  const { parent } = node
  if (ts.isVariableDeclaration(parent) || ts.isPropertyAssignment(parent) || ts.isPropertyDeclaration(parent)) {
    return parent.name.getText()
  }
  return undefined
}

/** The name of the declaration in which a function without a name is. */
function holderOf(node: ts.Node): string {
  for (let { parent } = node; parent !== undefined; { parent } = parent) {
    if (ts.isVariableDeclaration(parent) || ts.isPropertyAssignment(parent)) return parent.name.getText()
  }
  return 'without a name'
}

/** Measures the functions of a source that have a name, or are in no other. */
export function measureFunctions(file: string, text: string): MeasuredFunction[] {
  const kind = file.endsWith('x') ? ts.ScriptKind.TSX : ts.ScriptKind.TS
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true, kind)
  const lineAt = (at: number) => source.getLineAndCharacterOfPosition(at).line
  const linesOf = (node: ts.Node) => lineAt(node.end) - lineAt(node.getStart(source)) + 1
  const found: MeasuredFunction[] = []

  /** Measures what is below `node`, and adds it to the function in which it is. */
  function visit(node: ts.Node, inside: MeasuredFunction | undefined): void {
    const name = isFunction(node) ? (nameOf(node) ?? (inside ? undefined : holderOf(node))) : undefined
    let here = inside
    if (name !== undefined) {
      here = { name, lines: linesOf(node), statements: 0 }
      found.push(here)
      if (inside) inside.lines -= here.lines - 1
    } else if (here && ts.isStatement(node) && !ts.isBlock(node)) here.statements++
    ts.forEachChild(node, (child) => visit(child, here))
  }

  visit(source, undefined)
  return found
}
