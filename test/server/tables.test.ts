import { request } from 'node:http'
import { expect } from 'chai'
import { PERMISSIONS } from '../../src/domain/apps/issued-keys.ts'
import { routes } from '../../src/server/routes.ts'
import { type Answer, basic, type CallOptions, openTestServer, type TestServer } from '../support/http.ts'
import { describeShapes, onEachDatabase } from '../support/program.ts'
import { column, makeTable, restKey } from '../support/tables.ts'

const BOOKS = '/data/v1/data/1_books'

interface Book {
  id: number
  title: string
  [field: string]: unknown
}

onEachDatabase('the data area', (kind) => {
  let test: TestServer
  let key: string
  before(async () => {
    test = await openTestServer({ kind, settings: { 'limits.tableScan': '1000' } })
    key = await restKey(test)
    await makeTable(test, 'authors', [column('name', 'string', { required: true, unique: true })])
    await makeTable(test, 'books', [
      column('title', 'string', { required: true }),
      column('isbn', 'string', { unique: true }),
      column('pages', 'integer', { indexed: true, default: 100 }),
      column('price', 'number'),
      column('sold', 'boolean', { default: false }),
      column('printedAt', 'datetime'),
      column('blurb', 'text'),
      column('meta', 'json'),
      column('author', 'reference', { references: 'authors' }),
    ])
  })
  after(() => test.close())

  const call = (method: string, path: string, options: CallOptions = {}): Promise<Answer> =>
    test.call(method, path, { auth: key, ...options })
  const post = async (body: unknown, path = BOOKS) => call('POST', path, { body })

  /** The id of a new book. */
  async function makeBook(body: object): Promise<number> {
    const answer = await post({ title: 'A book', ...body })
    expect(answer.status, JSON.stringify(answer.body)).to.equal(201)
    return Number(answer.headers.get('location')!.split('/').at(-1))
  }

  const read = async (id: number) => (await call('GET', `${BOOKS}/${id}`)).body as Book

  describeShapes(kind, 'keys', () => {
    const operations: [string, string, unknown, (typeof PERMISSIONS)[number]][] = [
      ['POST', BOOKS, { title: 'x' }, 'create'],
      ['POST', `${BOOKS}/1`, { title: 'x' }, 'create'],
      ['GET', BOOKS, undefined, 'read'],
      ['GET', `${BOOKS}/999999`, undefined, 'read'],
      ['PUT', `${BOOKS}/999999`, {}, 'update'],
      ['DELETE', `${BOOKS}/999999`, undefined, 'delete'],
    ]

    for (const [method, path, body, permission] of operations) {
      it(`${method} ${path} wants the permission ${permission} and no other`, async () => {
        const only = await restKey(test, [permission])
        const others = await restKey(
          test,
          PERMISSIONS.filter((one) => one !== permission),
        )
        expect((await call(method, path, { auth: only, body })).status).to.not.be.oneOf([401, 403])
        const refused = await call(method, path, { auth: others, body })
        expect(refused.status).to.equal(403)
        expect(refused.body).to.have.property('error').that.includes(permission)
      })
    }

    it('answers 401 with WWW-Authenticate to anything but a REST key in force', async () => {
      const { apiKey, serverKey, secretKey } = test.first
      const revoked = await test.program.inTransaction(async (tx) => {
        const made = await tx.restKeys.create(test.first.id, { permissions: ['read'] })
        await tx.restKeys.revoke(test.first.id, made.id)
        return made.key
      })
      const wrong = [
        'none',
        'Basic',
        'Basic §§§',
        'Bearer abc',
        'Basic Og==',
        basic('', 'x'),
        basic('rk_wrong', ''),
        basic(apiKey, serverKey),
        basic(apiKey, secretKey),
        basic(serverKey, apiKey),
        basic(serverKey, ''),
        basic(revoked, ''),
      ]
      for (const auth of wrong) {
        for (const [method, path, body] of operations) {
          const answer = await call(method, path, { auth, body })
          expect(answer.status, `${method} ${path} with ${auth}`).to.equal(401)
          expect(answer.headers.get('www-authenticate')).to.match(/^Basic realm=/)
          expect(answer.body).to.have.property('error').that.includes('REST key')
        }
      }
    })

    it('ignores the password, which may be empty, and refuses a header without the colon before it', async () => {
      const { key: plain } = await test.program.inTransaction((tx) =>
        tx.restKeys.create(test.first.id, { permissions: ['read'] }),
      )
      for (const auth of [basic(plain, 'x:y'), basic(plain, ''), basic(plain, 'ünïcode')]) {
        expect((await call('GET', BOOKS, { auth })).status, auth).to.equal(200)
      }
      expect((await call('GET', BOOKS, { auth: `Basic ${btoa(plain)}` })).status).to.equal(401)
    })

    it('never opens another route, and no other key opens the data area', async () => {
      for (const { method, path, area, needs } of routes) {
        const url = `/${[area].flat()[0]}${path.replace(/:\w+/g, '1').replace(/\/\*\w+/, '/x')}`
        const body = method === 'get' ? undefined : {}
        // Where the path names the app there are no keys to be wrong, and no app is called 1.
        const status = needs === 'path-key' ? 404 : 401
        if (needs !== 'rest-key' && needs !== 'nobody')
          expect((await call(method, url, { body })).status, `${method} ${url}`).to.equal(status)
      }
    })

    it('does not tell a table of another app from none', async () => {
      const other = await test.program.inTransaction(async (tx) => {
        const made = await tx.apps.create({ name: 'Other' })
        await tx.tables.create(made.id, 'books', [column('title', 'string')])
        return made
      })
      const foreign = await restKey(test, PERMISSIONS, other.id)
      expect((await call('GET', `/data/v1/data/${other.id}_books`, { auth: foreign })).status).to.equal(200)
      for (const [method, path, body] of operations) {
        const there = await call(method, path, { auth: foreign, body })
        const nowhere = await call(method, path.replace('1_books', '1_nothing'), { auth: foreign, body })
        expect([there.status, nowhere.status], `${method} ${path}`).to.deep.equal([404, 404])
        expect(JSON.stringify(there.body).replace('1_books', '1_nothing')).to.equal(JSON.stringify(nowhere.body))
      }
    })

    it('notes the use of a key once an hour', async () => {
      const auth = await restKey(test, ['read'])
      const last = async () => (await test.program.restKeys.list(test.first.id)).at(-1)!.lastUsedAt
      expect(await last()).to.equal(null)
      await call('GET', BOOKS, { auth })
      const first = await last()
      expect(first).to.equal(test.clock.now())
      test.clock.advance(3_599_000)
      await call('GET', BOOKS, { auth })
      expect(await last()).to.equal(first)
      test.clock.advance(1000)
      await call('GET', BOOKS, { auth })
      expect(await last()).to.equal(test.clock.now())
    })
  })

  describe('create', () => {
    it('answers 201 without a body, with the absolute address of the record', async () => {
      const answer = await post({ title: 'New' })
      expect([answer.status, answer.body]).to.deep.equal([201, undefined])
      expect(answer.headers.get('content-length')).to.equal('0')
      const location = answer.headers.get('location')!
      expect(location).to.match(new RegExp(`^${test.address}/data/v1/data/1_books/\\d+$`))
      const found = await fetch(location, { headers: { authorization: key } })
      expect(await found.json()).to.deep.include({ title: 'New', pages: 100, sold: false, isbn: null })
    })

    it('prints the address of the settings, whatever the request calls us', async () => {
      const named = await openTestServer({
        kind,
        settings: { baseUrl: 'https://api.example.com', 'hosts.data': 'data.example.com' },
      })
      try {
        const auth = await restKey(named)
        await makeTable(named, 'books', [column('title', 'string')])
        const location = (host: string, path: string) =>
          new Promise<string | undefined>((resolve, reject) => {
            const { port } = new URL(named.address)
            const headers = { host, authorization: auth, 'content-type': 'application/json' }
            request({ host: '127.0.0.1', port, method: 'POST', path, headers }, (response) => {
              response.resume()
              resolve(response.headers.location)
            })
              .on('error', reject)
              .end('{}')
          })
        expect(await location('evil.example', BOOKS)).to.equal('https://api.example.com/data/v1/data/1_books/1')
        expect(await location('evil.example', '/v1/data/1_books')).to.equal(
          'https://api.example.com/data/v1/data/1_books/2',
        )
        expect(await location('data.example.com:8080', '/v1/data/1_books')).to.equal(
          'https://data.example.com/v1/data/1_books/3',
        )
      } finally {
        await named.close()
      }
    })

    it('stores every type as it was given', async () => {
      const author = await post({ name: 'Anna' }, '/data/v1/data/1_authors')
      const body = {
        title: '😀 "quotes" \\ and \u2028 lines\n',
        isbn: '978',
        pages: -9007199254740991,
        price: 0.1,
        sold: true,
        printedAt: '2026-01-02T03:04:05.678+02:00',
        blurb: 'x'.repeat(100_000),
        meta: { list: [1, 1.5, 'x', null, true, { deep: {} }], constructor: 1, 'key with . and $': '?' },
        author: Number(author.headers.get('location')!.split('/').at(-1)),
      }
      const id = await makeBook(body)
      const { createdAt, updatedAt, ...record } = await read(id)
      expect(record).to.deep.equal({ id, ...body, printedAt: '2026-01-02T01:04:05.678+0000' })
      expect(createdAt).to.match(/^2026-\d\d-\d\dT\d\d:\d\d:\d\d\+0000$/)
      expect(updatedAt).to.equal(createdAt)
    })

    it('keeps a key named __proto__ inside of JSON, and pollutes nothing', async () => {
      const answer = await post('{"title": "x", "meta": {"__proto__": {"polluted": 1}}}')
      expect(answer.status).to.equal(201)
      const page = await fetch(answer.headers.get('location')!, { headers: { authorization: key } })
      expect(await page.text()).to.include('"meta":{"__proto__":{"polluted":1}}')
      expect({}).to.not.have.property('polluted')
    })

    it('ignores an id, in the path and in the body', async () => {
      for (const path of [`${BOOKS}/7`, `${BOOKS}/nonsense`, BOOKS]) {
        const answer = await post({ title: 'x', id: 424242, createdAt: 'x', updatedAt: null }, path)
        expect(answer.status).to.equal(201)
        expect(Number(answer.headers.get('location')!.split('/').at(-1))).to.be.below(1000)
      }
    })

    const wrong: [string, unknown, string[]][] = [
      ['no object', '"x"', ['']],
      ['null', 'null', ['']],
      ['no JSON', '{', ['']],
      ['nothing', '', ['']],
      ['a missing title', {}, ['title']],
      ['null for the title', { title: null }, ['title']],
      ['fields that there are not', { title: 'x', zzz: 1, constructor: 2, 'a"b': 3 }, ['zzz', 'constructor', 'a"b']],
      [
        'values of other types',
        { title: 5, isbn: true, pages: '1', price: '1.5', sold: 0, printedAt: 7, blurb: {}, author: '1' },
        ['title', 'isbn', 'pages', 'price', 'sold', 'printedAt', 'blurb', 'author'],
      ],
      ['too long a text', { title: 'x'.repeat(256) }, ['title']],
      ['NUL', { title: 'a\0b', meta: { a: '\0' } }, ['title', 'meta']],
      ['half a surrogate pair', '{"title": "\\ud800"}', ['title']],
      ['numbers that are none any more', '{"title": "x", "price": 1e999, "meta": [1e999]}', ['price', 'meta[0]']],
      ['an author that there is not', { title: 'x', author: 987654 }, ['author']],
      ['JSON that is too deep', `{"title": "x", "meta": ${'['.repeat(100)}${']'.repeat(100)}}`, ['']],
      ['an empty list', [], ['']],
      ['too long a list', Array.from({ length: 1001 }, () => ({ title: 'x' })), ['']],
      [
        'a list with wrong items',
        [{ title: 'x' }, 5, { pages: 'x' }, [{ title: 'x' }]],
        ['[1]', '[2].title', '[2].pages', '[3]'],
      ],
    ]
    for (const [what, body, keys] of wrong) {
      it(`answers 422 to ${what} and names every key`, async () => {
        const answer = await post(body)
        expect(answer.status).to.equal(422)
        expect(answer.body).to.have.property('error', 'validation failed')
        expect(Object.keys((answer.body as { errors: object }).errors)).to.have.members(keys)
      })
    }

    it('says what a column wanted', async () => {
      const answer = await post({ title: 12, pages: '12' })
      expect(answer.body).to.have.nested.property('errors.title[0]').that.includes('a string of at most 255 characters')
      expect(answer.body).to.have.nested.property('errors.pages[0]', 'must be an integer, not the string "12"')
    })

    it('answers 422 to a value that must be unique, with everything else that is wrong', async () => {
      await makeBook({ isbn: 'taken' })
      expect((await post({ title: 'x', isbn: 'taken' })).body)
        .to.have.nested.property('errors.isbn[0]')
        .that.includes('"taken"')
      expect((await post({ title: 'x', isbn: 'taken', author: 987654 })).body)
        .to.have.property('errors')
        .that.has.all.keys('isbn', 'author')
      await Promise.all([makeBook({ isbn: null }), makeBook({}), makeBook({ isbn: 'Taken' })])
    })

    it('stores a value that must be unique once, however many ask at the same time', async () => {
      const answers = await Promise.all(Array.from({ length: 12 }, () => post({ title: 'x', isbn: 'raced' })))
      const statuses = answers.map(({ status }) => status).sort((a, b) => a - b)
      expect(statuses).to.deep.equal([201, ...Array<number>(11).fill(422)])
    })

    it('stores a list or nothing of it', async () => {
      const total = async () => ((await call('GET', `${BOOKS}?numberPerPage=1000`)).body as Book[]).length
      const before = await total()
      const answer = await post([{ title: 'one' }, { title: 'two', pages: null }, { title: 'three', isbn: 'list' }])
      expect([answer.status, answer.body]).to.deep.equal([201, undefined])
      const first = Number(answer.headers.get('location')!.split('/').at(-1))
      expect(await read(first)).to.deep.include({ title: 'one', pages: 100 })
      expect(await read(first + 1)).to.deep.include({ title: 'two', pages: null })
      expect(await read(first + 2)).to.deep.include({ title: 'three' })
      const refused = await post([
        { title: 'x' },
        { title: 'x', isbn: 'list' },
        { title: 'x', isbn: 'new' },
        { title: 'x', isbn: 'new' },
      ])
      expect(refused.status).to.equal(422)
      expect(refused.body).to.have.property('errors').that.has.all.keys('[1].isbn', '[3].isbn')
      expect(await total()).to.equal(before + 3)
    })

    it('takes a list of a thousand', async () => {
      const table = await makeTable(
        test,
        'many',
        Array.from({ length: 50 }, (_, i) => column(`c${i}`, 'integer')),
      )
      const answer = await post(
        Array.from({ length: 1000 }, (_, i) => ({ c0: i, c49: -i })),
        `/data/v1/data/${table.alias}`,
      )
      expect(answer.status).to.equal(201)
      const last = await call('GET', `/data/v1/data/${table.alias}/1000`)
      expect(last.body).to.deep.include({ id: 1000, c0: 999, c49: -999, c25: null })
    })

    it('happens once for an Idempotency-Key, and answers the same address', async () => {
      const headers = { 'Idempotency-Key': 'once' }
      const [first, second] = [
        await call('POST', BOOKS, { body: { title: 'i' }, headers }),
        await call('POST', BOOKS, { body: { title: 'i' }, headers }),
      ]
      expect(second.headers.get('location')).to.equal(first.headers.get('location'))
      expect(second.headers.get('idempotency-replayed')).to.equal('true')
    })
  })

  describe('read, update and delete', () => {
    it('answer 404 with a JSON body to ids that there are not', async () => {
      for (const id of ['999999', '0', '-1', '1.0', 'x', '1e3', '01', '9999999999999999999', "1'--", '%00']) {
        for (const method of ['GET', 'PUT', 'DELETE']) {
          const answer = await call(method, `${BOOKS}/${id}`, { ...(method === 'PUT' && { body: {} }) })
          expect(answer.status, `${method} ${id}`).to.equal(404)
          expect(answer.body).to.have.property('error').that.is.a('string')
        }
      }
    })

    it('changes what is named, clears with null, and answers the whole record', async () => {
      const id = await makeBook({ title: 'before', price: 1.5, meta: { a: 1 } })
      const { createdAt } = await read(id)
      test.clock.advance(5000)
      const answer = await call('PUT', `${BOOKS}/${id}`, { body: { title: 'after', meta: null } })
      expect(answer.status).to.equal(200)
      expect(answer.body).to.deep.include({ id, title: 'after', price: 1.5, meta: null, pages: 100, createdAt })
      expect(answer.body).to.have.property('updatedAt').that.does.not.equal(createdAt)
      expect(await read(id)).to.deep.equal(answer.body)
    })

    it('takes a whole record back as it was read', async () => {
      const id = await makeBook({ isbn: 'whole', printedAt: '2026-01-02', meta: [1] })
      const record = await read(id)
      const answer = await call('PUT', `${BOOKS}/${id}`, { body: record })
      expect([answer.status, answer.body]).to.deep.equal([
        200,
        { ...record, updatedAt: (answer.body as Book).updatedAt },
      ])
      const empty = await call('PUT', `${BOOKS}/${id}`, { body: {} })
      expect([empty.status, empty.body]).to.deep.equal([200, answer.body])
    })

    it('answers 422 to wrong changes and changes nothing', async () => {
      const id = await makeBook({ isbn: 'mine' })
      await makeBook({ isbn: 'theirs' })
      const record = await read(id)
      const rows: [unknown, string[]][] = [
        [{ title: null, pages: 'x', zzz: 1 }, ['title', 'pages', 'zzz']],
        [{ isbn: 'theirs', author: 987654 }, ['isbn', 'author']],
        [[], ['']],
        [[{ title: 'x' }], ['']],
      ]
      for (const [body, keys] of rows) {
        const answer = await call('PUT', `${BOOKS}/${id}`, { body })
        expect(answer.status).to.equal(422)
        expect(answer.body).to.have.property('errors').that.has.all.keys(keys)
      }
      expect(await read(id)).to.deep.equal(record)
    })

    it('gives a value that must be unique to one of many changes at the same time', async () => {
      const ids = await Promise.all(Array.from({ length: 12 }, () => makeBook({})))
      const answers = await Promise.all(
        ids.map((id) => call('PUT', `${BOOKS}/${id}`, { body: { isbn: 'changed at once' } })),
      )
      const statuses = answers.map(({ status }) => status).sort((a, b) => a - b)
      expect(statuses).to.deep.equal([200, ...Array<number>(11).fill(422)])
      for (const { status, body } of answers) {
        if (status === 422) expect(body).to.have.nested.property('errors.isbn[0]').that.includes('unique')
      }
    })

    it('never leaves a record that refers to one that is gone', async () => {
      for (let round = 0; round < 5; round++) {
        const made = await post({ name: `Raced ${round}` }, '/data/v1/data/1_authors')
        const author = Number(made.headers.get('location')!.split('/').at(-1))
        const [created, deleted] = await Promise.all([
          post({ title: 'raced', author }),
          call('DELETE', `/data/v1/data/1_authors/${author}`),
        ])
        expect([
          [201, 409],
          [422, 201],
        ]).to.deep.include([created.status, deleted.status])
      }
    })

    it('deletes with 201 and no body, once', async () => {
      const id = await makeBook({})
      const answer = await call('DELETE', `${BOOKS}/${id}`)
      expect([answer.status, answer.body, answer.headers.get('content-length')]).to.deep.equal([201, undefined, '0'])
      expect((await call('DELETE', `${BOOKS}/${id}`)).status).to.equal(404)
      expect((await call('GET', `${BOOKS}/${id}`)).status).to.equal(404)
    })

    it('keeps a record that another refers to, and says which table that is', async () => {
      const made = await post({ name: 'Referred' }, '/data/v1/data/1_authors')
      const author = Number(made.headers.get('location')!.split('/').at(-1))
      const book = await makeBook({ author })
      const refused = await call('DELETE', `/data/v1/data/1_authors/${author}`)
      expect(refused.status).to.equal(409)
      expect(refused.body).to.have.property('error').that.includes('books (author)')
      await call('PUT', `${BOOKS}/${book}`, { body: { author: null } })
      expect((await call('DELETE', `/data/v1/data/1_authors/${author}`)).status).to.equal(201)
    })
  })

  describeShapes(kind, 'read many', () => {
    before(async () => {
      await makeTable(test, 'numbers', [
        column('n', 'integer', { indexed: true }),
        column('j', 'json'),
        column('t', 'text'),
      ])
      await post(
        Array.from({ length: 120 }, (_, i) => ({ n: (i * 7) % 120 })),
        '/data/v1/data/1_numbers',
      )
    })
    const list = (query: string, options?: CallOptions) => call('GET', `/data/v1/data/1_numbers${query}`, options)
    const numbers = ({ body }: Answer) => (body as { n: number }[]).map(({ n }) => n)

    it('is an array without a wrapper, 50 at once unless said otherwise', async () => {
      expect((await list('')).body)
        .to.be.an('array')
        .with.length(50)
      expect((await list('?page=1')).body).to.deep.equal((await list('')).body)
      expect((await list('?page=3')).body)
        .to.be.an('array')
        .with.length(20)
      expect((await list('?page=4')).body).to.deep.equal([])
      expect((await list('?page=9007199254740991&numberPerPage=1000')).body).to.deep.equal([])
      for (const more of ['', '&sortBy=t', '&sortBy=-n', '&filter={"field":"n","operator":"gt","value":0}']) {
        const answer = await list(`?page=90071992547409&numberPerPage=100${more}`)
        expect([answer.status, answer.body], more).to.deep.equal([200, []])
      }
      expect((await list('?numberPerPage=1000')).body)
        .to.be.an('array')
        .with.length(120)
    })

    it('sorts, also the other way round', async () => {
      expect(numbers(await list('?sortBy=n&numberPerPage=3&page=2'))).to.deep.equal([3, 4, 5])
      expect(numbers(await list('?sortBy=-n&numberPerPage=3'))).to.deep.equal([119, 118, 117])
      expect((await list('?sortBy=-id&numberPerPage=1')).body).to.have.nested.property('[0].id', 120)
      for (const sortBy of ['createdAt', '-updatedAt', 't'])
        expect((await list(`?sortBy=${sortBy}`)).status).to.equal(200)
    })

    it('counts what matches when asked to', async () => {
      const total = async (query: string) => (await list(query)).headers.get('total-count')
      expect(await total('')).to.equal(null)
      expect(await total('?count=false')).to.equal(null)
      expect(await total('?count=true&page=2')).to.equal('120')
      expect(await total('?count=true&filter={"field":"n","operator":"lt","value":7}&numberPerPage=2')).to.equal('7')
      expect((await list('?count=maybe')).status).to.equal(422)
    })

    it('leads from page to page by Link and Next-After', async () => {
      const seen: number[] = []
      let url: string | undefined =
        `${test.address}/data/v1/data/1_numbers?sortBy=-n&numberPerPage=50&filter=${encodeURIComponent('{"field":"n","operator":"lt","value":110}')}`
      let pages = 0
      while (url !== undefined) {
        const answer: Response = await fetch(url, { headers: { authorization: key } })
        seen.push(...((await answer.json()) as { n: number }[]).map(({ n }) => n))
        url = /<([^>]+)>; rel="next"/.exec(answer.headers.get('link') ?? '')?.[1]
        expect(url === undefined, 'both or none').to.equal(answer.headers.get('next-after') === null)
        pages++
      }
      expect(pages).to.equal(3)
      expect(seen).to.deep.equal(Array.from({ length: 110 }, (_, i) => 109 - i))
    })

    const wrong: [string, string[]][] = [
      ['?page=0', ['page']],
      ['?page=-1', ['page']],
      ['?page=1.5', ['page']],
      ['?page=x', ['page']],
      ['?page=', ['page']],
      ['?page=1&page=2', ['page']],
      ['?numberPerPage=0', ['numberPerPage']],
      ['?numberPerPage=1001', ['numberPerPage']],
      ['?page=0&numberPerPage=x', ['page', 'numberPerPage']],
      ['?sortBy=zzz', ['sortBy']],
      ['?sortBy=', ['sortBy']],
      ['?sortBy=-', ['sortBy']],
      ['?sortBy=--n', ['sortBy']],
      ['?sortBy=j', ['sortBy']],
      ['?sortBy=constructor', ['sortBy']],
      ['?filter=', ['filter']],
      ['?filter={"field":"zzz","operator":"eq","value":1}', ['filter.field']],
      ['?after=x', ['after']],
      ['?after=', ['after']],
      ['?after=WzFd', ['after']],
      ['?after=WyJpZCIsMSwxXQ&page=2', ['after']],
      ['?after=WyJpZCIsMSwxXQ&sortBy=n', ['after']],
      ['?after=WyJpZCIsMSwxXQ&sortBy=t', ['after']],
      ['?sortBy=zzz&filter=x&page=1', ['sortBy', 'filter']],
    ]
    it('answers 422 to what would sort too many records, naming what to do, and 200 when an index helps', async () => {
      const conditions = Array.from({ length: 99 }, () => ({ field: 't', operator: 'contains', value: 'x' }))
      const path = `?sortBy=t&filter=${encodeURIComponent(JSON.stringify(conditions))}`
      const answer = await list(path)
      expect(answer.status).to.equal(422)
      expect(answer.body).to.have.property('errors').that.has.all.keys('sortBy')
      expect((await list(path.replace('sortBy=t&', ''))).status).to.equal(200)
      const narrowed = [...conditions.slice(0, 90), { field: 'id', operator: 'in', value: [1, 2] }]
      expect((await list(`?filter=${encodeURIComponent(JSON.stringify(narrowed))}`)).status).to.equal(200)
      const far = await list('?page=1000000000&sortBy=-n')
      expect({ status: far.status, body: far.body }).to.deep.equal({ status: 200, body: [] })
    })

    for (const [query, keys] of wrong) {
      it(`answers 422 to ${query} and names the keys`, async () => {
        const answer = await list(query)
        expect(answer.status).to.equal(422)
        expect(answer.body).to.have.property('errors').that.has.all.keys(keys)
      })
    }
  })

  describeShapes(kind, 'the rest of HTTP', () => {
    const accepted: [string | undefined, number][] = [
      [undefined, 200],
      ['*/*', 200],
      ['application/json', 200],
      ['text/html, application/vnd.api+JSON;q=0.5', 200],
      ['text/html, */*;q=0.1', 200],
      ['text/html', 406],
      ['application/xml', 406],
      ['text/*', 406],
    ]
    for (const [accept, status] of accepted) {
      it(`answers ${status} to Accept: ${accept ?? '(absent)'}`, async () => {
        const { port } = new URL(test.address)
        const headers = { authorization: key, ...(accept !== undefined && { accept }) }
        const found = await new Promise<number>((resolve, reject) => {
          request({ host: '127.0.0.1', port, path: BOOKS, headers }, (response) => {
            response.resume()
            resolve(response.statusCode!)
          })
            .on('error', reject)
            .end()
        })
        expect(found).to.equal(status)
      })
    }

    it('looks at the key before Accept, and at Accept before the body', async () => {
      const headers = { accept: 'text/html' }
      expect((await call('POST', BOOKS, { auth: 'none', headers, body: '{' })).status).to.equal(401)
      expect((await call('POST', BOOKS, { auth: await restKey(test, ['read']), headers, body: '{' })).status).to.equal(
        403,
      )
      expect((await call('POST', BOOKS, { headers, body: '{' })).status).to.equal(406)
    })

    it('answers 405 with Allow where an id is missing', async () => {
      for (const method of ['PUT', 'DELETE']) {
        const answer = await call(method, BOOKS)
        expect(answer.status).to.equal(405)
        expect(answer.headers.get('allow')).to.equal('POST, GET, HEAD, OPTIONS')
      }
      expect((await call('GET', '/data/v1/data')).status).to.equal(404)
    })

    it('answers under the prefix and at the root', async () => {
      expect((await call('GET', '/v1/data/1_books')).status).to.equal(200)
      expect((await call('GET', '/crm/v1/data/1_books')).status).to.equal(404)
    })

    it('answers HEAD like GET without the body', async () => {
      const answer = await fetch(test.address + BOOKS, { method: 'HEAD', headers: { authorization: key } })
      expect([answer.status, await answer.text()]).to.deep.equal([200, ''])
    })
  })
})
