import { isDeepStrictEqual } from 'node:util'
import { shared } from './shared.ts'
import type { Content, OpenApiDocument, Operation, Parameter, Reference } from './types.ts'

/** The document as text: what operations have in common stands once, and whatever fits in a line is in one. */

/** Characters of an object or list that takes one line. */
const LINE = 150
/** The same for a leaf, such as a field with its description: then a change of a field is a change of a line. */
const LEAF_LINE = 300

/** The document as it is checked in and served. */
export function openApiText(document: OpenApiDocument): string {
  return `${laidOut(withSharedParts(document), '')}\n`
}

/**
 * The same document, with references to examples and parameters that operations share. An example is named as the
 * schema that it is of, a parameter by its own name: the first form has the name, and another form stands where it is
 * used. Pure.
 */
export function withSharedParts(document: OpenApiDocument): OpenApiDocument {
  const examples: Record<string, { value: unknown }> = {}
  const parameters = { ...document.components.parameters }
  const oftenUsed = repeatedIn(Object.values(document.paths).flatMap((methods) => Object.values(methods)))

  const shareParameter = (one: Parameter | Reference) => {
    if ('$ref' in one || !oftenUsed.has(JSON.stringify(one))) return one
    const name = one.name.charAt(0).toUpperCase() + one.name.slice(1)
    parameters[name] ??= one
    return isDeepStrictEqual(parameters[name], one) ? shared('parameters', name) : one
  }
  const shareExamples = (content: Content): Content =>
    Object.fromEntries(
      Object.entries(content).map(([type, { schema, example }]) => {
        const name = typeof schema.$ref === 'string' ? schema.$ref.slice(schema.$ref.lastIndexOf('/') + 1) : undefined
        if (example === undefined) return [type, { schema }]
        if (name === undefined) return [type, { schema, example }]
        examples[name] ??= { value: example }
        if (!isDeepStrictEqual(examples[name].value, example)) return [type, { schema, example }]
        return [type, { schema, examples: { usual: shared('examples', name) } }]
      }),
    )
  const shareOf = <T extends { content?: Content } | Reference>(one: T): T =>
    'content' in one && one.content ? { ...one, content: shareExamples(one.content) } : one
  const shareOperation = (operation: Operation): Operation => ({
    ...operation,
    ...(operation.parameters && { parameters: operation.parameters.map(shareParameter) }),
    ...(operation.requestBody && { requestBody: shareOf(operation.requestBody) }),
    responses: mapped(operation.responses, shareOf),
  })

  const paths = mapped(document.paths, (methods) => mapped(methods, shareOperation))
  return { ...document, paths, components: { ...document.components, parameters, examples } }
}

/** Parameters that several operations have, as JSON. */
function repeatedIn(operations: readonly Operation[]): ReadonlySet<string> {
  const all = operations.flatMap(({ parameters = [] }) => parameters.map((one) => JSON.stringify(one)))
  const seen = new Set<string>()
  return new Set(all.filter((one) => seen.has(one) || !seen.add(one)))
}

function mapped<T, U>(record: Record<string, T>, change: (one: T) => U): Record<string, U> {
  return Object.fromEntries(Object.entries(record).map(([name, one]) => [name, change(one)]))
}

/** JSON whose objects and lists take one line where they fit. */
function laidOut(value: unknown, indent: string): string {
  if (typeof value !== 'object' || value === null) return scalar(value)
  const line = lineOf(value)
  if (line !== undefined && (line.length <= LINE || depthOf(value) <= 2)) return line
  const inner = `${indent}  `
  const [open, close] = Array.isArray(value) ? '[]' : '{}'
  const parts = partsOf(value).map(([key, part]) => inner + key + laidOut(part, inner))
  return `${open}\n${parts.join(',\n')}\n${indent}${close}`
}

/** The value in one line; undefined where that has more than `LEAF_LINE` characters, which is found without writing all of it. */
function lineOf(value: unknown): string | undefined {
  if (typeof value !== 'object' || value === null) return scalar(value)
  const parts: string[] = []
  let length = 0
  for (const [key, part] of partsOf(value)) {
    const line = lineOf(part)
    if (line === undefined) return undefined
    length += key.length + line.length
    if (length > LEAF_LINE) return undefined
    parts.push(key + line)
  }
  const line = Array.isArray(value) ? `[${parts.join(', ')}]` : parts.length === 0 ? '{}' : `{ ${parts.join(', ')} }`
  return line.length > LEAF_LINE ? undefined : line
}

/** The members of an object behind their names, without those that are undefined, or the items of a list. */
function partsOf(value: object): [key: string, part: unknown][] {
  if (Array.isArray(value)) return value.map((part: unknown) => ['', part])
  return Object.entries(value)
    .filter(([, part]) => part !== undefined)
    .map(([name, part]) => [`${JSON.stringify(name)}: `, part])
}

/** The levels inside a value. An object with one member, such as a reference or the type of a body, is no level of its own. */
function depthOf(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0
  const parts = Object.values(value)
  return (parts.length === 1 ? 0 : 1) + Math.max(0, ...parts.map(depthOf))
}

/** A text, number or boolean; null where a list has nothing. */
const scalar = (value: unknown): string => JSON.stringify(value) ?? 'null'
