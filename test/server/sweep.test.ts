import { request } from 'node:http'
import { expect } from 'chai'
import { isPlainObject } from '../../src/platform/json/json.ts'
import { type Schema, describe as schemaOf } from '../../src/platform/values/parse.ts'
import { buildOpenApi } from '../../src/server/openapi/document.ts'
import { routes } from '../../src/server/routes.ts'
import type { Area, Route } from '../../src/server/routing/route.ts'
import { reaches } from '../support/depth.ts'
import { basic, openTestServer, type TestServer } from '../support/http.ts'
import { addInstall } from '../support/installs.ts'
import { addPerson } from '../support/people.ts'
import { chosenKinds, type DatabaseKind, onEachDatabase } from '../support/program.ts'
import { PROGRAMS_MS } from '../support/programs.ts'
import { column } from '../support/tables.ts'

/**
 * Values that no caller should send, by their kinds, of which each value of `always` is one. Every field meets a kind and every kind every route, or in paths
 * every second route, the values of a kind by turns (`choose`); from `.ci/run` on every kind meets every field, in the long run every value.
 */
interface Odd {
  always: readonly string[]
  kinds: readonly (readonly string[])[]
}

/** Text in an address, percent-encoded. A NUL inside was once a 500 on PostgreSQL, and beyond every integer there is none either. */
const ODD: Odd = {
  always: ['a%00b', '99999999999999999999999'],
  kinds: [
    // Half a surrogate, a NUL in two bytes, and what is no encoding.
    ['%ED%A0%80', '%C0%80', '%zz', '%'],
    ['-1', '9007199254740993', '1e400', '0', '-9223372036854775809', '1.5', 'NaN'],
    ['x'.repeat(3000), '%F0%9F%92%A5'.repeat(300)],
    ['%00', '__proto__', '%27%22%3B%5C%25_', '%2e%2e%2f', '%E2%80%AE%0A%0D%1B'],
  ],
}
const EVERY_ODD = [...ODD.always, ...ODD.kinds.flat()]

/** Some of them for the fields of queries, of which there are many. */
const ODD_QUERY: Odd = {
  always: ODD.always,
  kinds: [
    ['%ED%A0%80', '%zz'],
    ['-1', '1e400', '9007199254740993'],
    ['x'.repeat(3000), '__proto__'],
  ],
}

/** The same in a body, as JSON is written: where the example has a number, numbers are what every field is tried with. */
const ODD_JSON: Record<'text' | 'number', Odd> = {
  text: {
    always: [String.raw`"a\u0000b"`],
    kinds: [
      [String.raw`"\ud800"`, String.raw`{"a\u0000b":"\udfff"}`, String.raw`["\u0000"]`],
      ['-9223372036854775809', '1e400', '"99999999999999999999999"'],
      [JSON.stringify('\u{1F4A5}'.repeat(3000))],
      ['null'],
    ],
  },
  number: {
    always: ['-9223372036854775809', '1e400'],
    kinds: [
      [String.raw`"\ud800"`, String.raw`"a\u0000b"`, String.raw`{"a\u0000b":"\udfff"}`, String.raw`["\u0000"]`],
      ['"99999999999999999999999"', JSON.stringify('\u{1F4A5}'.repeat(3000)), 'null'],
    ],
  },
}

/**
 * Chooses the values for the fields of one route, by their order. `turn` is the route's, which moves the values on. `shares`: routes that share the kinds in
 * `npm test`, neighbours in their order.
 */
function choose(fields: readonly Odd[], turn: number, shares = 1): readonly (readonly string[])[] {
  if (reaches('long')) return fields.map(({ always, kinds }) => [...always, ...kinds.flat()])
  const inTurn = (values: readonly string[], i: number) => values[(turn + i) % values.length]!
  if (reaches('whole'))
    return fields.map(({ always, kinds }, i) => [...always, ...kinds.map((some) => inTurn(some, i))])
  return fields.map(({ always, kinds }, i) => {
    const all = [...always.map((one) => [one]), ...kinds]
    // As many steps as there are kinds or fields, whichever are more: the fields go round, and so do the kinds.
    const most = Math.ceil(all.length / shares)
    const steps = Array.from({ length: Math.max(most, fields.length) }, (_, step) => step)
    return steps
      .filter((step) => step % fields.length === i)
      .map((step) => inTurn(all[(step + turn * most) % all.length]!, i))
  })
}

interface Place {
  route: Route
  area: Area
  /** The names of its path parameters. */
  names: readonly string[]
}

const document = buildOpenApi(routes)

const PLACES: readonly Place[] = routes.flatMap((route) =>
  [route.area].flat().map((area) => ({
    route,
    area,
    names: [...route.path.matchAll(/[:*](\w+)/g)].map(([, name]) => name!),
  })),
)

const nameOf = ({ route, area }: Place) => `${route.method.toUpperCase()} /${area}${route.path}`

/** A body that the document shows, or an empty one. */
function exampleOf({ route, area }: Place): unknown {
  const { requestBody } = document.paths[`/${area}${route.path.replace(/[:*](\w+)/g, '{$1}')}`]![route.method]!
  return requestBody?.content['application/json']?.example ?? {}
}

const queryNames = (schema: Schema) => Object.keys((schemaOf(schema) as { properties?: object }).properties ?? {})

/** Paths of the values in a JSON value: their keys, outermost first. */
function pathsIn(value: unknown): (string | number)[][] {
  if (Array.isArray(value)) return value.length === 0 ? [] : pathsIn(value[0]).map((path) => [0, ...path])
  if (isPlainObject(value) && Object.keys(value).length > 0) {
    return Object.entries(value).flatMap(([key, inner]) => pathsIn(inner).map((path) => [key, ...path]))
  }
  return [[]]
}

const at = (value: unknown, path: readonly (string | number)[]) =>
  path.reduce<unknown>((found, key) => (found as Record<string | number, unknown>)[key], value)

const MARK = '@@here@@'

function replaced(value: unknown, [first, ...rest]: readonly (string | number)[], by: string): unknown {
  if (first === undefined) return by
  const inner = replaced((value as Record<string, unknown>)[first], rest, by)
  return Array.isArray(value)
    ? value.map((one, i) => (i === first ? inner : one))
    : { ...(value as object), [first]: inner }
}

/** Answers of each database, to be compared. */
const answered = new Map<DatabaseKind, Map<string, number>>()

onEachDatabase('odd text at every route', function (kind) {
  this.timeout(PROGRAMS_MS)
  let test: TestServer
  let linkHost: string
  const given: Record<string, string> = {}
  const keys: Partial<Record<Route['needs'], string>> = {}
  const answers = new Map<string, number>()
  before(async () => {
    test = await openTestServer({ kind, settings: { 'links.domain': 'lnk.example.com' } })
    const { program, first } = test
    await addInstall(program, first.id, 'i1', { user: 'u1' })
    await program.inTransaction((tx) => tx.channels.create(first.id, { uuid: 'known' }))
    await program.inTransaction((tx) => tx.tables.create(first.id, 'things', [column('n', 'integer')]))
    const permissions = ['create', 'read', 'update', 'delete'] as const
    const { key } = await program.inTransaction((tx) => tx.restKeys.create(first.id, { permissions: [...permissions] }))
    Object.assign(given, {
      appId: String(first.id),
      apiKey: first.apiKey,
      tableAlias: 'things',
      uuid: 'known',
      userId: 'u1',
      installId: 'i1',
    })
    const server = basic(first.apiKey, first.serverKey)
    Object.assign(keys, {
      'server-key': server,
      'own-app': server,
      'device-key': basic(first.apiKey, first.secretKey),
      'rest-key': basic(key, ''),
      person: `Bearer ${(await addPerson(program)).token}`,
    })
    linkHost = `${(await program.links.site(first.id)).settings.subdomain}.lnk.example.com`
    answered.set(kind, answers)
  })
  after(() => test.close())

  interface Sent {
    body?: string | Buffer
    type?: string
    headers?: Record<string, string>
  }

  /** Sends it as it is written: `fetch` would write some of it in another way. */
  function ask(method: string, path: string, { body, type = 'application/json', headers = {} }: Sent) {
    const { promise, resolve, reject } = Promise.withResolvers<{ status: number; text: string }>()
    const { hostname, port } = new URL(test.address)
    const sent = request(
      {
        hostname,
        port,
        method: method.toUpperCase(),
        path,
        headers: { ...(body !== undefined && { 'content-type': type }), ...headers },
      },
      (response) => {
        const status = response.statusCode!
        // It has no end.
        if (response.headers['content-type']?.startsWith('text/event-stream')) {
          resolve({ status, text: '' })
          return void sent.destroy()
        }
        let text = ''
        response.setEncoding('utf8').on('data', (chunk: string) => (text += chunk))
        response.once('end', () => resolve({ status, text })).once('error', reject)
      },
    )
    sent.once('error', reject)
    sent.end(body)
    return promise
  }

  const failed: string[] = []

  async function tryOne(place: Place, path: string, what: string, sent: Sent = {}): Promise<void> {
    const authorization = keys[place.route.needs]
    const headers = { ...(authorization && { authorization }), ...sent.headers }
    const { status, text } = await ask(place.route.method, `/${place.area}${path}`, { ...sent, headers })
    const name = `${nameOf(place)}: ${what}`
    answers.set(name, status)
    if (status >= 500) failed.push(`${name} -> ${status} ${text.slice(0, 200)}`)
  }

  /** Tries places: those that read side by side, those that write in order, because both databases shall answer alike. */
  async function tryEach<T>({ route }: Place, all: readonly T[], work: (one: T) => Promise<void>): Promise<void> {
    if (route.method === 'get') await Promise.all(all.map(work))
    else for (const one of all) await work(one)
  }

  function expectNoneFailed(least: number): void {
    expect(failed.splice(0)).to.deep.equal([])
    expect(answers.size).to.be.above(least)
  }

  const filled = ({ route }: Place, odd: Record<string, string> = {}) =>
    route.path.replace(/[:*](\w+)/g, (_, name: string) => odd[name] ?? given[name] ?? '999')

  const bodyOf = (place: Place): Sent => (place.route.body ? { body: JSON.stringify(exampleOf(place)) } : {})

  it('is never a 500 in a parameter of a path', async () => {
    for (const [turn, place] of PLACES.entries()) {
      const chosen = choose(
        place.names.map(() => ODD),
        turn,
        2,
      )
      for (const [i, name] of place.names.entries()) {
        await tryEach(place, chosen[i]!, (odd) =>
          tryOne(place, filled(place, { [name]: odd }), `${name}=${odd.slice(0, 40)}`, bodyOf(place)),
        )
      }
    }
    expectNoneFailed(PLACES.length * 2)
  })

  it('is 404 with a NUL in the path of what is read', async () => {
    const read = PLACES.filter(({ route, names }) => route.method === 'get' && !route.device && names.length > 0)
    expect(read.length).to.be.above(50)
    for (const place of read) {
      await tryEach(place, place.names, async (name) => {
        const what = `${name}=a%00b`
        if (!answers.has(`${nameOf(place)}: ${what}`)) await tryOne(place, filled(place, { [name]: 'a%00b' }), what)
        // What a key is for is said before what there is.
        const status = answers.get(`${nameOf(place)}: ${what}`)
        expect(status, `${nameOf(place)}: ${name}`).to.equal(place.route.needs === 'own-app' ? 403 : 404)
      })
    }
  })

  it('is never a 500 in a field of a query', async () => {
    const before = answers.size
    const asking = PLACES.filter(({ route }) => route.query !== undefined || route.asks !== undefined)
    for (const [turn, place] of asking.entries()) {
      const names = queryNames((place.route.query ?? place.route.asks)!)
      const chosen = choose(
        names.map(() => ODD_QUERY),
        turn,
      )
      for (const [i, name] of names.entries()) {
        await tryEach(place, chosen[i]!, (odd) =>
          tryOne(place, `${filled(place)}?${name}=${odd}`, `?${name}=${odd.slice(0, 40)}`, bodyOf(place)),
        )
      }
    }
    expectNoneFailed(before + 400)
  })

  it('is never a 500 in a field of a body, as JSON or as a form', async () => {
    const before = answers.size
    for (const [turn, place] of PLACES.filter(({ route }) => route.body !== undefined).entries()) {
      const example = exampleOf(place)
      const paths = pathsIn(example)
      const chosen = choose(
        paths.map((path) => ODD_JSON[typeof at(example, path) === 'number' ? 'number' : 'text']),
        turn,
      )
      for (const [i, path] of paths.entries()) {
        for (const odd of chosen[i]!) {
          const body = JSON.stringify(replaced(example, path, MARK)).replace(JSON.stringify(MARK), () => odd)
          await tryOne(place, filled(place), `${path.join('.')}=${odd.slice(0, 40)}`, { body })
        }
        if (!place.route.device || path.length === 0) continue
        const [first, ...rest] = path
        const body = `${first}${rest.map((key) => `[${key}]`).join('')}=a%00b%ED%A0%80`
        await tryOne(place, filled(place), `form ${body}`, { body, type: 'application/x-www-form-urlencoded' })
      }
    }
    expectNoneFailed(before + 700)
  })

  it('is never a 500 in bytes, in a file, in its name or in a header', async () => {
    const before = answers.size
    const bytes = [Buffer.from('a\0b'), Buffer.from([0xed, 0xa0, 0x80]), Buffer.from(String.raw`{"a\u0000":"\ud800"}`)]
    for (const place of PLACES.filter(({ route }) => route.raw)) {
      for (const [i, body] of bytes.entries()) await tryOne(place, filled(place), `bytes ${i}`, { body })
    }
    for (const place of PLACES.filter(({ route }) => route.upload !== undefined)) {
      for (const [i, content] of bytes.entries()) {
        const head = `--x\r\nContent-Disposition: form-data; name="file"; filename="a%00\u00ff.csv"\r\nContent-Type: text/csv\r\n\r\n`
        const body = Buffer.concat([Buffer.from(head, 'latin1'), content, Buffer.from('\r\n--x--\r\n')])
        await tryOne(place, filled(place), `file ${i}`, { body, type: 'multipart/form-data; boundary=x' })
      }
    }
    // A NUL and line breaks are no part of a header; Node refuses them before we see them.
    const odd = ['\u00ff\u0080', '%00', 'x'.repeat(300)]
    const names = ['idempotency-key', 'user-agent', 'accept-language', 'if-none-match', 'if-match', 'origin', 'cookie']
    for (const [turn, place] of PLACES.filter(({ route }) => route.method !== 'delete').entries()) {
      for (const i of reaches('whole') ? odd.keys() : [turn % odd.length]) {
        // Each has another value, so that any two headers meet with every pair.
        const headers = Object.fromEntries(names.map((name, n) => [name, odd[(i + n + (turn % 2) * n) % odd.length]!]))
        await tryOne(place, filled(place), `headers ${i}`, { ...bodyOf(place), headers })
      }
    }
    expectNoneFailed(before + 300)
  })

  it('is never a 500 where browsers ask', async () => {
    for (const [h, host] of [linkHost, '127.0.0.1', 'a\u00ffb'].entries()) {
      for (const [o, odd] of EVERY_ODD.entries()) {
        for (const [p, path] of [`/${odd}`, `/a/${odd}`, `/console/${odd}`, `/.well-known/${odd}`].entries()) {
          if (!reaches('whole') && (h + o + p) % 2 === 1) continue
          const { status } = await ask('get', path, { headers: { host } })
          answers.set(`${host === linkHost ? 'links' : host} ${path.slice(0, 60)}`, status)
          if (status >= 500) failed.push(`${host} ${path} -> ${status}`)
        }
      }
    }
    expectNoneFailed(100)
  })

  it('is answered alike by both databases', function () {
    if (kind !== chosenKinds.at(-1)) return
    const [one, other] = chosenKinds.map((each) => answered.get(each)!)
    if (!other) return
    const different = [...one!].filter(([name, status]) => other.get(name) !== status)
    expect(different.map(([name, status]) => `${name}: ${status} and ${other.get(name)}`)).to.deep.equal([])
    expect(other.size).to.equal(one!.size)
  })
})
