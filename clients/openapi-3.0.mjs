/**
 * Writes the interface document for generators that read OpenAPI 3.0 only, with the calls of servers:
 *
 *     curl -o openapi.json https://push.example.com/openapi.json
 *     node openapi-3.0.mjs openapi.json openapi-3.0.json
 *
 * Where 3.0 has no words for what 3.1 says (a text or a number, a pair of two types), the result says less: a text, a list of anything.
 */
import { readFileSync, writeFileSync } from 'node:fs'

const [given, written] = process.argv.slice(2)
if (!given || !written) throw new Error('node openapi-3.0.mjs openapi.json openapi-3.0.json')
const { info, paths, components, ...document } = JSON.parse(readFileSync(given, 'utf8'))

const isForServers = ({ security = [] }) => security.some((one) => 'serverKey' in one || 'restKey' in one)

/** The operations for servers, by path. */
const ours = Object.entries(paths)
  .map(([path, operations]) => [path, Object.entries(operations).filter(([, one]) => isForServers(one))])
  .filter(([, operations]) => operations.length > 0)
  .map(([path, operations]) => [path, Object.fromEntries(operations)])

/** A part of the document in words of 3.0. `isNames`: its keys are names that somebody chose, not words of the specification. */
function older(part, isNames = false) {
  if (Array.isArray(part)) return part.map((one) => older(one))
  if (typeof part !== 'object' || part === null) return part
  const result = isNames ? part : olderSchema(part)
  const below = ([word, value]) => [word, word === 'example' || word === 'enum' ? value : older(value, NAMES.has(word))]
  return Object.fromEntries(Object.entries(result).map(isNames ? ([name, value]) => [name, older(value)] : below))
}

const NAMES = new Set(['properties', 'schemas', 'responses', 'parameters', 'headers', 'examples', 'content', 'paths'])

/** A schema without the words that 3.1 added; any other object as it is. */
function olderSchema({ const: only, ...schema }) {
  for (const word of ['prefixItems', 'contentEncoding', 'contentMediaType']) delete schema[word]
  if ('$ref' in schema) return { $ref: schema.$ref }
  if (Array.isArray(schema.anyOf)) return olderChoice(schema)
  // 3.0 has examples of parameters and bodies, by name; schemas have a list.
  if (Array.isArray(schema.examples)) delete schema.examples
  const types = [schema.type].flat().filter((type) => typeof type === 'string')
  const named = types.filter((type) => type !== 'null')
  if (types.length > 0) schema.type = named.includes('string') ? 'string' : named[0]
  if (types.includes('null')) Object.assign(schema, { type: schema.type ?? 'object', nullable: true })
  if (only !== undefined) schema.enum = [only]
  if (Array.isArray(schema.enum)) schema.enum = schema.enum.filter((value) => value !== null)
  if (schema.type === 'array') schema.items ??= {}
  if (typeof schema.exclusiveMinimum === 'number')
    Object.assign(schema, { minimum: schema.exclusiveMinimum, exclusiveMinimum: true })
  return schema
}

/** A choice without the choice of null, which is a property of the others in 3.0. */
function olderChoice({ anyOf, ...schema }) {
  const [one, ...others] = anyOf.filter(({ type }) => type !== 'null')
  if (others.length > 0) return { ...schema, anyOf: [one, ...others] }
  return '$ref' in one ? { $ref: one.$ref } : olderSchema({ ...schema, ...one, type: [one.type, 'null'] })
}

const { serverKey, restKey } = components.securitySchemes
const result = older({
  ...document,
  openapi: '3.0.3',
  info: {
    title: info.title,
    version: info.version,
    description: info.description,
    license: { name: info.license.name },
  },
  paths: Object.fromEntries(ours),
  components: { ...components, securitySchemes: { serverKey, restKey } },
})
// Only scopes of OAuth may be listed in 3.0.
for (const operations of Object.values(result.paths))
  for (const operation of Object.values(operations))
    operation.security = operation.security.map((one) => Object.fromEntries(Object.keys(one).map((name) => [name, []])))
writeFileSync(written, JSON.stringify(result, null, 1))
