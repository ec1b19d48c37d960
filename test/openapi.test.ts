import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { buildOpenApi, openApiText } from '../src/server/openapi.ts'
import type { OpenApiDocument, Operation } from '../src/server/openapi-types.ts'
import { routes } from '../src/server/routes.ts'

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

describe('the OpenAPI document', () => {
  it('is the one that is checked in (npm run openapi)', () => {
    const checkedIn = readFileSync(join(import.meta.dirname, '../docs/openapi.json'), 'utf8')
    expect(JSON.parse(checkedIn) as OpenApiDocument).to.deep.equal(JSON.parse(openApiText(document)))
    expect(checkedIn).to.equal(openApiText(document))
  })

  it('has every route in each of its areas, and nothing else', () => {
    const declared = routes.flatMap(({ area, method, path }) =>
      [area].flat().map((one) => `${method} /${one}${path.replace(/:(\w+)/g, '{$1}')}`),
    )
    const found = operations.map(({ method, path }) => `${method} ${path}`)
    expect(found.toSorted()).to.eql(declared.toSorted())
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
    const { parameters, responses, schemas } = document.components
    for (const [kind, parts] of Object.entries({ parameters, responses, schemas })) {
      for (const name of Object.keys(parts)) expect(pointers).to.include(`#/components/${kind}/${name}`)
    }
  })

  it('names every placeholder of a path as a parameter, and no other', () => {
    for (const { path, operation } of operations) {
      const placeholders = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name)
      const named = (operation.parameters ?? []).flatMap((one) => ('in' in one && one.in === 'path' ? [one.name] : []))
      expect(named, path).to.eql(placeholders)
    }
  })

  const at = (method: string, path: string): Operation => document.paths[path]![method]!

  it('has both forms of a path that two areas share', () => {
    expect(at('post', '/messages/v2/notifications').requestBody).to.not.eql(
      at('post', '/push/v2/notifications').requestBody,
    )
  })

  it('tells what a body requires, also by rules of the whole', () => {
    const schema = at('post', '/messages/v2/notifications').requestBody!.content['application/json']!.schema
    expect(schema).to.have.property('required').that.has.members(['target', 'content'])
    expect(schema).to.have.nested.property('properties.target.additionalProperties', false)
    expect(schema).to.have.nested.property('properties.userMeta.type', 'object')
  })

  it('tells which routes take a file', () => {
    const withFiles = operations.filter(({ operation }) => operation.requestBody?.content['multipart/form-data'])
    const declared = routes.filter(({ upload }) => upload).flatMap(({ area }) => [area].flat())
    expect(withFiles.length).to.equal(declared.length)
  })

  it('describes the blocks of every gateway', () => {
    const schema = at('put', '/push/v1/apps/{appId}').requestBody!.content['application/json']!.schema
    expect(schema).to.have.nested.property('properties.ios.properties.p12.contentEncoding', 'base64')
    expect(schema).to.have.nested.property('properties.android.properties.serviceAccount.required').that.is.an('array')
  })

  it('tells which statuses a route has', () => {
    const statuses = (method: string, path: string) => Object.keys(at(method, path).responses)
    expect(statuses('get', '/crm/v2/users')).to.eql(['200', '401', '403', '422', '429', 'default'])
    expect(at('get', '/crm/v2/users').security, 'the scope that it needs').to.eql([{ serverKey: ['crm'] }])
    const set = statuses('put', '/push/v1/apps/{appId}')
    expect(set).to.eql(['200', '401', '403', '413', '415', '422', '429', 'default'])
    const deleted = statuses('delete', '/crm/v1/users/{userId}/attributes')
    expect(deleted).to.eql(['204', '400', '401', '403', '429', 'default'])
    const sent = statuses('post', '/messages/v2/notifications')
    expect(sent).to.eql(['202', '400', '401', '403', '409', '413', '415', '422', '429', 'default'])
  })

  it('tells which queries are required', () => {
    const parameters = at('get', '/crm/v2/users').parameters!
    expect(parameters).to.deep.include({
      name: 'numberPerPage',
      in: 'query',
      required: true,
      schema: { type: 'integer', minimum: 1, maximum: 1000 },
    })
  })
})
