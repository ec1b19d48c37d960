import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { describe as describeQuery } from '../src/platform/values/parse.ts'
import { WORDS, type Words } from '../src/present/schema.ts'
import { buildOpenApi } from '../src/server/openapi/document.ts'
import { openApiText, withSharedParts } from '../src/server/openapi/text.ts'
import type { OpenApiDocument, Operation } from '../src/server/openapi/types.ts'
import { FIELDS, PARAMETERS, SCHEMAS } from '../src/server/openapi/words.ts'
import { routes } from '../src/server/routes.ts'

const ROOT = join(import.meta.dirname, '..')
const document = buildOpenApi(routes)
const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
)

/** Every object of the document, itself included. */
function* objects(value: unknown): Generator<Record<string, unknown>> {
  if (typeof value !== 'object' || value === null) return
  if (!Array.isArray(value)) yield value as Record<string, unknown>
  for (const part of Object.values(value)) yield* objects(part)
}

function resolve(pointer: string): unknown {
  return pointer
    .slice(2)
    .split('/')
    .reduce<unknown>((at, key) => (at as Record<string, unknown> | undefined)?.[key], document)
}

type Named = [name: string, schema: Record<string, unknown>]

/** Properties of a schema, and of those inside it. */
function* propertiesOf(schema: Record<string, unknown>): Generator<Named> {
  const { properties = {}, items, anyOf = [], additionalProperties } = schema
  for (const [name, one] of Object.entries(properties as object) as Named[]) {
    yield [name, one]
    yield* propertiesOf(one)
  }
  for (const one of [items, additionalProperties, ...(anyOf as unknown[])]) {
    if (typeof one === 'object') yield* propertiesOf(one as Record<string, unknown>)
  }
}

/** The dotted paths of the members of a schema, and of those inside it. */
function pathsOf(schema: Record<string, unknown>, path: string): string[] {
  const { properties = {}, items, anyOf = [], additionalProperties } = schema
  const members = (Object.entries(properties as object) as Named[]).flatMap(([name, one]) => [
    `${path}.${name}`,
    ...pathsOf(one, `${path}.${name}`),
  ])
  const inner = [items, additionalProperties, ...(anyOf as unknown[])].filter((one) => typeof one === 'object')
  return [...members, ...inner.flatMap((one) => pathsOf(one as Record<string, unknown>, path))]
}

/** Tells whether the examples are those of its parts. */
function isComposed({ $ref, properties, anyOf, items, additionalProperties }: Record<string, unknown>): boolean {
  const inner = [items, additionalProperties].filter((one) => typeof one === 'object')
  return Boolean($ref ?? properties ?? anyOf) || inner.some((one) => isComposed(one as Record<string, unknown>))
}

describe('the OpenAPI document', () => {
  it('is the one that is checked in (npm run openapi)', () => {
    const checkedIn = readFileSync(join(import.meta.dirname, '../docs/openapi.json'), 'utf8')
    expect(JSON.parse(checkedIn) as OpenApiDocument).to.deep.equal(JSON.parse(openApiText(document)))
    expect(checkedIn).to.equal(openApiText(document))
    expect(checkedIn.split('\n').length).to.be.below(20_000)
  })

  it('is checked in with examples and parameters that operations share, and says the same', () => {
    const shared = withSharedParts(document)
    const { examples = {}, parameters } = shared.components
    const dereferenced = JSON.parse(JSON.stringify(shared), (_, part: unknown) => {
      if (typeof part !== 'object' || part === null) return part
      if ('$ref' in part && typeof part.$ref === 'string') {
        const [, name] = /^#\/components\/parameters\/(.+)$/.exec(part.$ref) ?? []
        return name !== undefined && !(name in document.components.parameters) ? parameters[name] : part
      }
      const { examples: usual, ...rest } = part as { examples?: { usual?: { $ref: string } } }
      return usual?.usual ? { ...rest, example: examples[usual.usual.$ref.split('/').at(-1)!]!.value } : part
    }) as OpenApiDocument
    expect({ ...dereferenced, components: 0 }).to.deep.equal({ ...JSON.parse(JSON.stringify(document)), components: 0 })
    expect(Object.keys(examples)).to.include('Channel')
  })

  it('has every route in each of its areas, and nothing else', () => {
    const declared = routes.flatMap(({ area, method, path }) =>
      [area].flat().map((one) => `${method} /${one}${path.replace(/:(\w+)/g, '{$1}')}`),
    )
    const doors = ['get /healthz', 'get /readyz', 'get /metrics']
    const found = operations.map(({ method, path }) => `${method} ${path}`)
    expect(found.toSorted()).to.eql([...declared, ...doors].toSorted())
  })

  it('gives every operation a name of its own, a summary, a key and an answer that means success', () => {
    const names = operations.map(({ operation }) => operation.operationId)
    expect(new Set(names).size).to.equal(names.length)
    for (const { path, operation } of operations) {
      expect(operation.operationId, path).to.match(/^[a-z][A-Za-z0-9]+$/)
      expect(operation.summary, path).to.not.equal('')
      for (const scheme of operation.security.flatMap((one) => Object.keys(one))) {
        expect(document.components.securitySchemes, path).to.have.property(scheme)
      }
      expect(Object.keys(operation.responses).filter((status) => status.startsWith('2')).length, path).to.be.above(0)
    }
  })

  it('has no reference that leads nowhere, and no shared part that nobody uses', () => {
    const pointers = [...objects(document)].flatMap(({ $ref }) => (typeof $ref === 'string' ? [$ref] : []))
    for (const pointer of pointers) expect(resolve(pointer), pointer).to.be.an('object')
    const { parameters, headers, responses, schemas } = document.components
    for (const [kind, parts] of Object.entries({ parameters, headers, responses, schemas })) {
      for (const name of Object.keys(parts)) expect(pointers).to.include(`#/components/${kind}/${name}`)
    }
  })

  it('describes every operation, parameter, schema and property, and gives examples', () => {
    for (const { path, method, operation } of operations) {
      expect(operation.description, `${method} ${path}`).to.not.equal('')
      for (const one of operation.parameters ?? []) {
        if (!('in' in one)) continue
        expect(one, `${method} ${path}`).to.include.keys('description', 'example')
      }
      const bodies = Object.entries(operation.requestBody?.content ?? {})
      for (const [type, { example }] of bodies)
        expect(type === '*/*' || example, `${method} ${path}`).to.not.equal(undefined)
    }
    for (const [name, schema] of Object.entries(document.components.schemas)) {
      expect(schema, name).to.have.property('description')
      for (const [field, one] of propertiesOf(schema)) {
        expect(one, `${name}.${field}`).to.have.property('description').that.is.a('string')
        expect(isComposed(one) || Array.isArray(one.examples), `an example of ${name}.${field}`).to.equal(true)
      }
    }
  })

  it('has no words that nothing is called by', () => {
    const schemas = Object.keys(document.components.schemas)
    expect(Object.keys(SCHEMAS).filter((name) => !schemas.includes(name))).to.deep.equal([])
    const fields = new Set(
      Object.entries(document.components.schemas).flatMap(([name, schema]) => pathsOf(schema, name)),
    )
    expect(Object.keys(FIELDS).filter((name) => !fields.has(name))).to.deep.equal([])
    const parameters = routes.flatMap(({ path, query, asks }) => {
      const asked = Object.keys((query ?? asks) ? (describeQuery((query ?? asks)!).properties as object) : {})
      const placed = [...path.matchAll(/[:*](\w+)/g)].map(([, name]) => `path.${name}`)
      return [...placed, ...asked.map((name) => `query.${name}`)].flatMap((name) => [name, `${path}.${name}`])
    })
    expect(Object.keys(PARAMETERS).filter((name) => !parameters.includes(name))).to.deep.equal([])
  })

  it('has a sentence of two answers written once: they share the words of a field', () => {
    const told = new Map<string, Set<string>>()
    const visit = (part: unknown, title: string) => {
      if (typeof part !== 'object' || part === null) return
      const inner = 'title' in part && typeof part.title === 'string' ? part.title : title
      const [says] = (part as { [WORDS]?: Words })[WORDS] ?? []
      if (says !== undefined) told.set(says, (told.get(says) ?? new Set()).add(title))
      for (const one of Object.values(part)) visit(one, inner)
    }
    for (const { returns, also } of routes) visit([returns, also], '')
    const names = globSync('src/{present,server}/**/*.ts', { cwd: ROOT, exclude: (name) => name === 'words' })
    const source = names.map((name) => readFileSync(join(ROOT, name), 'utf8')).join('\n')
    const text = source.replace(/' \+\s+'/g, '').replaceAll("\\'", "'")
    const shared = [...told].filter(([, titles]) => titles.size > 1).map(([says]) => says)
    expect(shared.length).to.be.above(50)
    const written = (says: string) => text.split(`'${says}'`).length + text.split(`"${says}"`).length - 2
    expect(shared.filter((says) => written(says) > 1)).to.deep.equal([])
  })

  it('names every placeholder of a path as a parameter, and no other', () => {
    for (const { path, operation } of operations) {
      const placeholders = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name)
      const named = (operation.parameters ?? []).flatMap((one) => ('in' in one && one.in === 'path' ? [one.name] : []))
      expect(named, path).to.eql(placeholders)
    }
  })

  const at = (method: string, path: string): Operation => document.paths[path]![method]!

  /** The schema of a body, which is a named one. */
  const bodyOf = (method: string, path: string) => {
    const { schema } = at(method, path).requestBody!.content['application/json']!
    return resolve((schema as { $ref: string }).$ref)
  }

  it('has both forms of a path that two areas share', () => {
    expect(at('post', '/messages/v2/notifications').requestBody).to.not.eql(
      at('post', '/push/v2/notifications').requestBody,
    )
  })

  it('tells what a body requires, also by rules of the whole', () => {
    const schema = bodyOf('post', '/messages/v2/notifications')
    expect(schema).to.have.property('required').that.has.members(['target', 'content'])
    expect(schema).to.have.nested.property('properties.target.additionalProperties', false)
    // Null is the same as absent where a field may be absent.
    expect(schema).to.have.nested.property('properties.userMeta.type').that.eql(['object', 'null'])
    expect(schema).to.have.nested.property('properties.target.type', 'object')
  })

  it('tells which routes take a file', () => {
    const withFiles = operations.filter(({ operation }) => operation.requestBody?.content['multipart/form-data'])
    const declared = routes.filter(({ upload }) => upload).flatMap(({ area }) => [area].flat())
    expect(withFiles.length).to.equal(declared.length)
  })

  it('describes the blocks of every gateway', () => {
    const schema = bodyOf('put', '/push/v1/apps/{appId}')
    expect(schema).to.have.nested.property('properties.ios.properties.p12.contentEncoding', 'base64')
    expect(schema).to.have.nested.property('properties.android.properties.serviceAccount.required').that.is.an('array')
  })

  it('tells which statuses a route has', () => {
    const statuses = (method: string, path: string) => Object.keys(at(method, path).responses)
    expect(statuses('get', '/crm/v2/users')).to.eql(['200', '401', '403', '422', '429', '503', 'default'])
    expect(at('get', '/crm/v2/users').security, 'the scope that it needs').to.eql([{ serverKey: ['crm'] }])
    const set = statuses('put', '/push/v1/apps/{appId}')
    expect(set).to.eql(['200', '401', '403', '413', '415', '422', '429', '503', 'default'])
    const deleted = statuses('delete', '/crm/v1/users/{userId}/attributes')
    expect(deleted).to.eql(['204', '400', '401', '403', '429', '503', 'default'])
    const sent = statuses('post', '/messages/v2/notifications')
    expect(sent).to.eql(['202', '400', '401', '403', '409', '413', '415', '422', '429', '503', 'default'])
  })

  it('tells what a query takes', () => {
    const parameters = at('get', '/crm/v2/users').parameters!
    expect(parameters).to.deep.include({
      name: 'numberPerPage',
      in: 'query',
      // A search needs neither it nor currentPage.
      required: false,
      description: 'Maximum number of items on a page.',
      schema: { type: 'integer', minimum: 1, maximum: 1000 },
      example: 50,
    })
  })
})
