/**
 * Places where a source can be changed by one thing so that a test should notice: a condition, a bound, a status, a WHERE or
 * an order. Places that no test can notice are left out by plain rules: texts, logs, time-outs, sizes of caches and of steps.
 */
import { ts } from '@ts-morph/common'
import { sqlChanges } from './sql.ts'

/** Kinds of changes. */
export const KINDS = ['condition', 'bound', 'status', 'where', 'order'] as const

export type Kind = (typeof KINDS)[number]

/** One change of a source: `before`, which stands at `start`, becomes `after`. */
export interface Change {
  kind: Kind
  start: number
  before: string
  after: string
}

/** The source with the change. */
export function applied(text: string, { start, before, after }: Change): string {
  return text.slice(0, start) + after + text.slice(start + before.length)
}

/** The parsed source. */
export const parse = (file: string, text: string): ts.SourceFile =>
  ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true, ts.ScriptKind.TS)

type Report = (kind: Kind, at: { start: number; end: number }, after: string) => void

const { SyntaxKind } = ts

const OPERATORS = new Map<ts.SyntaxKind, string>([
  [SyntaxKind.LessThanToken, '<='],
  [SyntaxKind.LessThanEqualsToken, '<'],
  [SyntaxKind.GreaterThanToken, '>='],
  [SyntaxKind.GreaterThanEqualsToken, '>'],
  [SyntaxKind.EqualsEqualsEqualsToken, '!=='],
  [SyntaxKind.ExclamationEqualsEqualsToken, '==='],
  [SyntaxKind.AmpersandAmpersandToken, '||'],
  [SyntaxKind.BarBarToken, '&&'],
])

/** Calls whose arguments are texts for operators. */
const TOLD =
  /^(?:log|logger)$|\.(?:log|debug|info|warn|documented|describe|meta|label)$|^(?:documented|described?|tell|say|note)$/

/** Numbers of this name say how much is done at once, how long somebody waits, or how much is kept to be quick. */
const UNNOTICED =
  /_MS$|Ms$|TIMEOUT|PATIENCE|GRACE|POLL|EVERY|INTERVAL|CHUNK|BATCH|SLICE|STEP|AT_ONCE|AT_A_TIME|CONCURREN|POOL|BUFFER|CACHE|KEPT|HIGH_WATER|LANES|STRETCH|WINDOW_SIZE|SPREAD|COST|ROUNDS|_SIZE$/i

/** Calls whose number is a limit. */
const BOUNDING = /^(?:slice|limit|default|min|max|length|substring|at[A-Z]\w*|[a-z]*[Ll]imit\w*)$/

/** Names of fields whose text is a state or an outcome. */
const STATED = /^(?:status|state|kind|outcome|code|reason|verdict|phase|result)$/

/** Codes of AppError that are often confused. */
const CODES = new Map([
  ['not_found', 'conflict'],
  ['conflict', 'invalid'],
  ['invalid', 'bad_request'],
  ['bad_request', 'invalid'],
  ['forbidden', 'unauthorized'],
  ['unauthorized', 'forbidden'],
  ['gone', 'not_found'],
  ['too_large', 'bad_request'],
  ['too_many', 'unavailable'],
  ['unavailable', 'internal'],
  ['unsupported_media', 'bad_request'],
  ['method_not_allowed', 'not_found'],
  ['not_acceptable', 'bad_request'],
  ['internal', 'unavailable'],
  ['usage', 'config'],
  ['config', 'usage'],
])

const STATUSES = new Map([
  [200, 201],
  [201, 200],
  [202, 200],
  [204, 200],
  [301, 302],
  [302, 301],
  [303, 302],
  [304, 200],
  [307, 302],
  [400, 422],
  [401, 403],
  [403, 401],
  [404, 410],
  [405, 404],
  [406, 400],
  [409, 422],
  [410, 404],
  [413, 400],
  [415, 400],
  [422, 400],
  [429, 503],
  [500, 503],
  [503, 500],
])

/** Tells whether the text is one that can be parsed. */
export function canBeParsed(file: string, text: string): boolean {
  const { parseDiagnostics } = parse(file, text) as unknown as { parseDiagnostics: unknown[] }
  return parseDiagnostics.length === 0
}

/** All changes that can be made to a source. Every one leaves a source that can be parsed. */
export function findChanges(file: string, text: string): Change[] {
  const source = parse(file, text)
  const changes: Change[] = []
  const report: Report = (kind, { start, end }, after) => {
    const before = text.slice(start, end)
    if (before !== after) changes.push({ kind, start, before, after })
  }
  const states = statesOf(source)
  const visit = (node: ts.Node): void => {
    if (isText(node)) return
    conditions(node, report)
    bounds(node, report)
    statuses(node, states, report)
    wheres(node, report)
    orders(node, report)
    if (isLiteralText(node) && !isPartOfImport(node)) {
      const start = node.getStart()
      for (const { kind, at, before, after } of sqlChanges(node.getText())) {
        report(kind, { start: start + at, end: start + at + before.length }, after)
      }
    }
    ts.forEachChild(node, visit)
  }
  visit(source)
  return changes
}

const isLiteralText = (node: ts.Node) =>
  ts.isStringLiteral(node) || ts.isNoSubstitutionTemplateLiteral(node) || ts.isTemplateExpression(node)

const isPartOfImport = (node: ts.Node) => ts.isImportDeclaration(node.parent) || ts.isExportDeclaration(node.parent)

/** Tells whether a node is a type, an import, or a text for operators or in an error message. */
function isText(node: ts.Node): boolean {
  if (ts.isTypeNode(node) || ts.isInterfaceDeclaration(node) || ts.isTypeAliasDeclaration(node)) return true
  if (ts.isImportDeclaration(node)) return true
  return ts.isCallExpression(node) && TOLD.test(node.expression.getText().replaceAll('?.', '.'))
}

const span = (node: ts.Node) => ({ start: node.getStart(), end: node.getEnd() })

/** Nodes whose negation needs no brackets. */
const isSimple = (node: ts.Node) =>
  ts.isIdentifier(node) || ts.isPropertyAccessExpression(node) || ts.isCallExpression(node)

function conditions(node: ts.Node, report: Report): void {
  if (ts.isBinaryExpression(node)) {
    const { operatorToken, left, right } = node
    const other = OPERATORS.get(operatorToken.kind)
    // A comparator is an order, and `typeof x === …` of what cannot be otherwise tells nothing more than the condition around it.
    if (other !== undefined && !isInComparator(node)) report('condition', span(operatorToken), other)
    if (operatorToken.kind === SyntaxKind.QuestionQuestionToken && !ts.isThrowStatement(right)) {
      report('condition', span(node), left.getText())
    }
  }
  const condition = ts.isIfStatement(node)
    ? node.expression
    : ts.isConditionalExpression(node)
      ? node.condition
      : undefined
  if (condition === undefined || isInComparator(node)) return
  if (ts.isPrefixUnaryExpression(condition) && condition.operator === SyntaxKind.ExclamationToken) {
    report('condition', span(condition), condition.operand.getText())
  } else if (isSimple(condition)) report('condition', span(condition), `!${condition.getText()}`)
  else if (!ts.isBinaryExpression(condition)) report('condition', span(condition), `!(${condition.getText()})`)
}

const COMPARISONS = new Set([
  SyntaxKind.LessThanToken,
  SyntaxKind.LessThanEqualsToken,
  SyntaxKind.GreaterThanToken,
  SyntaxKind.GreaterThanEqualsToken,
])

const nameOf = (node: ts.Node): string =>
  ts.isIdentifier(node) || ts.isStringLiteral(node)
    ? node.text
    : ts.isPropertyAccessExpression(node)
      ? node.name.text
      : ''

/** Tells whether a number is a limit of something that a caller or a test can reach. */
function isBound(node: ts.NumericLiteral): boolean {
  const { parent } = node
  if (ts.isVariableDeclaration(parent))
    return /^[A-Z][A-Z0-9_]*$/.test(nameOf(parent.name)) && !UNNOTICED.test(nameOf(parent.name))
  if (ts.isPropertyAssignment(parent)) return !UNNOTICED.test(nameOf(parent.name)) && !STATED.test(nameOf(parent.name))
  if (ts.isBinaryExpression(parent)) {
    const other = parent.left === node ? parent.right : parent.left
    return COMPARISONS.has(parent.operatorToken.kind) && !UNNOTICED.test(nameOf(other))
  }
  if (ts.isCallExpression(parent) && parent.arguments.includes(node)) return BOUNDING.test(nameOf(parent.expression))
  return false
}

function bounds(node: ts.Node, report: Report): void {
  if (!ts.isNumericLiteral(node) || !isBound(node)) return
  const value = Number(node.text)
  if (!Number.isSafeInteger(value) || /^0[xob]/i.test(node.getText())) return
  // A status is no bound.
  if (STATUSES.has(value) && isStatus(node)) return
  const negative = ts.isPrefixUnaryExpression(node.parent)
  report('bound', span(node), String(value + 1))
  if (value > 0 && !negative) report('bound', span(node), String(value - 1))
}

/** Tells whether a number is a status of HTTP: by what it is compared with or stored in. */
function isStatus(node: ts.NumericLiteral): boolean {
  let at: ts.Node = node
  while (ts.isArrayLiteralExpression(at.parent) || ts.isConditionalExpression(at.parent)) at = at.parent
  const { parent } = at
  if (ts.isPropertyAssignment(parent)) return /^(?:status|http|also|statuses|statusCode)$/.test(nameOf(parent.name))
  if (ts.isBinaryExpression(parent)) return /status/i.test(parent.left.getText())
  if (ts.isCallExpression(parent))
    return /(?:writeHead|status|answer|respond|refuse|redirect|Response)/i.test(parent.expression.getText())
  if (ts.isCaseClause(parent)) return /status/i.test(parent.parent.parent.expression.getText())
  return ts.isVariableDeclaration(parent) && /status/i.test(nameOf(parent.name))
}

/** The texts that fields of one name have in a source. */
type States = Map<string, string[]>

/** The name of the field that a text is the value of. */
function statedBy(node: ts.StringLiteral): string | undefined {
  const { parent } = node
  if (ts.isPropertyAssignment(parent) && parent.initializer === node) return nameOf(parent.name)
  if (ts.isConditionalExpression(parent) && ts.isPropertyAssignment(parent.parent)) return nameOf(parent.parent.name)
  return undefined
}

function statesOf(source: ts.SourceFile): States {
  const states: States = new Map()
  const visit = (node: ts.Node): void => {
    if (ts.isStringLiteral(node)) {
      const name = statedBy(node)
      if (name !== undefined && STATED.test(name) && /^[a-z_]+$/.test(node.text)) {
        const known = states.get(name) ?? []
        if (!known.includes(node.text)) states.set(name, [...known, node.text])
      }
    }
    ts.forEachChild(node, visit)
  }
  visit(source)
  return states
}

function statuses(node: ts.Node, states: States, report: Report): void {
  if (ts.isNumericLiteral(node)) {
    const other = STATUSES.get(Number(node.text))
    if (other !== undefined && isStatus(node)) report('status', span(node), String(other))
  }
  if (!ts.isStringLiteral(node)) return
  const { parent } = node
  if (ts.isNewExpression(parent) && parent.expression.getText() === 'AppError' && parent.arguments?.[0] === node) {
    const other = CODES.get(node.text)
    if (other !== undefined) report('status', span(node), `'${other}'`)
    return
  }
  const name = statedBy(node)
  const others = name === undefined ? undefined : states.get(name)
  const at = others?.indexOf(node.text) ?? -1
  if (others === undefined || at < 0 || others.length < 2) return
  report('status', span(node), `'${others[(at + 1) % others.length]}'`)
}

const WHERE =
  /^(?:and|or)?[wW]here(?:Not|In|NotIn|Null|NotNull|Raw|Between|NotBetween|Exists|NotExists|Like|ILike)?$|^having(?:Raw)?$/

function wheres(node: ts.Node, report: Report): void {
  if (!ts.isCallExpression(node) || !ts.isPropertyAccessExpression(node.expression)) return
  const { name, expression: receiver } = node.expression
  if (!WHERE.test(name.text)) return
  report('where', span(node), receiver.getText())
  const [given] = node.arguments
  if (!given || !ts.isObjectLiteralExpression(given) || given.properties.length < 2) return
  for (const property of given.properties) {
    const others = given.properties.filter((one) => one !== property).map((one) => one.getText())
    report('where', span(given), `{ ${others.join(', ')} }`)
  }
}

/** Calls that sort, whose function says which comes first. */
const SORTS = /^(?:sort|toSorted)$/

function comparatorOf(node: ts.Node): ts.ArrowFunction | undefined {
  if (!ts.isCallExpression(node) || !ts.isPropertyAccessExpression(node.expression)) return undefined
  if (!SORTS.test(node.expression.name.text)) return undefined
  const [given] = node.arguments
  return given && ts.isArrowFunction(given) ? given : undefined
}

function isInComparator(node: ts.Node): boolean {
  for (let at: ts.Node | undefined = node; at; at = at.parent) {
    if (ts.isArrowFunction(at) && at.parent && comparatorOf(at.parent) === at) return true
  }
  return false
}

function orders(node: ts.Node, report: Report): void {
  if (ts.isStringLiteral(node) && /^(?:asc|desc)$/.test(node.text)) {
    report('order', span(node), node.text === 'asc' ? "'desc'" : "'asc'")
  }
  if (!ts.isCallExpression(node) || !ts.isPropertyAccessExpression(node.expression)) return
  const { name, expression: receiver } = node.expression
  if (/^orderBy(?:Raw)?$/.test(name.text)) {
    report('order', span(node), receiver.getText())
    const [given, direction, ...more] = node.arguments
    if (given && !direction && more.length === 0 && ts.isStringLiteral(given)) {
      report('order', span(node), `${receiver.getText()}.orderBy(${given.getText()}, 'desc')`)
    }
    if (given && ts.isArrayLiteralExpression(given) && given.elements.length > 1) {
      report(
        'order',
        span(given),
        `[${given.elements
          .slice(0, -1)
          .map((one) => one.getText())
          .join(', ')}]`,
      )
    }
  }
  if (SORTS.test(name.text) || name.text === 'toReversed') report('order', span(node), receiver.getText())
  const comparator = comparatorOf(node)
  const [a, b] = comparator?.parameters ?? []
  if (comparator && a && b) report('order', { start: a.getStart(), end: b.getEnd() }, `${b.getText()}, ${a.getText()}`)
}
