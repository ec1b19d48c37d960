import { expect } from 'chai'
import { openTestServer, type TestServer } from '../../support/http.ts'
import { addInstall } from '../../support/installs.ts'
import { addPerson, type TestPerson } from '../../support/people.ts'

describe('data tables and the map of the admin interface', () => {
  let test: TestServer
  let owner: TestPerson
  let base: string

  before(async () => {
    test = await openTestServer()
    owner = await addPerson(test.program)
    base = `/admin/v1/apps/${test.first.id}`
  })
  after(() => test.close())

  const call = (method: string, path: string, body?: unknown) =>
    test.call(method, `${base}${path}`, { auth: `Bearer ${owner.token}`, ...(body !== undefined && { body }) })
  const upload = async (path: string, text: string) => {
    const form = new FormData()
    form.append('file', new Blob([text], { type: 'text/csv' }), 'books.csv')
    const answer = await fetch(`${test.address}${base}${path}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${owner.token}` },
      body: form,
    })
    return { status: answer.status, body: (await answer.json()) as Record<string, unknown> }
  }
  const column = (name: string, type = 'string', more: object = {}) => ({ name, type, ...more })
  const alias = () => `${test.first.id}_books`

  it('make a table, list it and show it', async () => {
    const columns = [column('title', 'string', { required: true }), column('year', 'integer', { indexed: true })]
    const made = await call('POST', '/tables', { name: 'books', columns })
    expect(made.status, JSON.stringify(made.body)).to.equal(201)
    expect(made.body).to.include({ name: 'books', alias: alias(), records: 0 })
    await call('POST', '/tables', { name: 'reviews', columns: [column('book', 'reference', { references: 'books' })] })
    const first = await call('GET', '/tables?limit=1')
    expect(first.body).to.have.property('next', alias())
    const second = await call('GET', `/tables?after=${alias()}`)
    expect(second.body).to.have.nested.property('items[0].name', 'reviews')
    expect(second.body).to.have.property('next', null)
    expect((await call('GET', `/tables/${alias()}`)).body).to.deep.equal(made.body)
    expect((await call('POST', '/tables', { name: 'no name', columns })).status).to.equal(422)
  })

  it('import a file by a mapping, and tell which lines were refused', async () => {
    const mapping = encodeURIComponent(JSON.stringify(['title', null, 'year']))
    const text = 'Book,Shelf,Published\nEmma,A,1815\nUlysses,B,long ago\n,C,1900\nDracula,D,1897\n'
    const done = await upload(`/tables/${alias()}/imports?columns=${mapping}`, text)
    expect(done.status, JSON.stringify(done.body)).to.equal(200)
    expect(done.body).to.include({ imported: 2, refused: 2 })
    expect(done.body.lines).to.have.length(2)
    expect(done.body).to.have.nested.property('lines[0].line', 3)
    expect(done.body).to.have.nested.property('lines[0].errors.year')
    const wrong = await upload(`/tables/${alias()}/imports?columns=${encodeURIComponent('["title"]')}`, text)
    expect(wrong.status).to.equal(422)
    expect(wrong.body).to.have.nested.property('errors.columns')
    expect((await upload(`/tables/${alias()}/imports?columns=x`, text)).status).to.equal(422)
  })

  it('refuse a file that is too large', async () => {
    const answer = await upload(`/tables/${alias()}/imports`, `title\n${'x'.repeat(17 * 1024 * 1024)}`)
    expect(answer.status).to.equal(413)
  })

  it('export what was imported, and say so in the audit log', async () => {
    const headers = { authorization: `Bearer ${owner.token}` }
    const answer = await fetch(`${test.address}${base}/tables/${alias()}/export`, { headers })
    expect(answer.headers.get('content-type')).to.include('text/csv')
    expect(await answer.text()).to.match(/^id,title,year,createdAt,updatedAt\r\n1,Emma,1815,/)
    const [row] = (await test.program.audit.list({ limit: 1 })).entries
    expect(row).to.include({ action: 'tables.export', target: alias() })
  })

  it('tell the consequences of changes before they are made', async () => {
    const ask = (changes: unknown) =>
      call('GET', `/tables/${alias()}/consequences?changes=${encodeURIComponent(JSON.stringify(changes))}`)
    const told = await ask([
      { do: 'drop', name: 'year' },
      { do: 'rename', name: 'title', to: 'name' },
      { do: 'add', column: column('isbn', 'string', { required: true }) },
      { do: 'set', name: 'title', unique: true },
      { do: 'set', name: 'year', required: true, indexed: false, default: 7 },
    ])
    expect(told.status, JSON.stringify(told.body)).to.equal(200)
    expect(told.body).to.include({ records: 2, seconds: 0, stopsServer: false })
    const { changes } = told.body as { changes: { effects: string[]; obstacles: string[] }[] }
    expect(changes.map(({ obstacles }) => obstacles.length)).to.deep.equal([0, 0, 1, 0, 0])
    expect(changes[0]!.effects[0]).to.include('2 records')
    expect(changes[4]!.effects.join(' ')).to.include('503')
    expect((await ask([{ do: 'rename', name: 'title' }])).body).to.have.nested.property('errors.changes\\[0\\]\\.to')
    expect((await ask([{ do: 'drop', name: 'nothing' }])).status).to.equal(422)
    expect((await ask({})).status).to.equal(422)
    expect((await call('GET', '/tables/none/consequences?changes=[]')).status).to.equal(404)
  })

  it('change the columns of a table', async () => {
    const changes = [
      { do: 'add', column: column('isbn', 'string', { unique: true, collate: 'de' }) },
      { do: 'set', name: 'year', indexed: false },
    ]
    const after = await call('POST', `/tables/${alias()}/changes`, { changes })
    expect(after.status, JSON.stringify(after.body)).to.equal(200)
    expect(after.body).to.have.nested.property('columns[2].name', 'isbn')
    expect(after.body).to.not.have.nested.property('columns[2].isCollating')
    const refused = await call('POST', `/tables/${alias()}/changes`, {
      changes: [{ do: 'set', name: 'isbn', required: true }],
    })
    expect(refused.status).to.equal(422)
    expect(refused.body).to.have.nested.property('errors.isbn[0]').that.includes('2 records')
  })

  it('delete a table only when no other refers to it', async () => {
    expect((await call('DELETE', `/tables/${alias()}`)).status).to.equal(409)
    expect((await call('DELETE', `/tables/${test.first.id}_reviews`)).status).to.equal(204)
    expect((await call('DELETE', `/tables/${alias()}`)).status).to.equal(204)
    expect((await call('GET', `/tables/${alias()}`)).status).to.equal(404)
  })

  it('count positions in squares, and never so few that they say where somebody is', async () => {
    for (let i = 0; i < 15; i++) {
      const row = await addInstall(test.program, test.first.id, `i${i}`, { user: `u${i}` })
      const [lat, lng] = i < 12 ? [52.5, 13.4] : [48.1, 11.6]
      await test.program.inTransaction((tx) =>
        tx.geofences.move(test.first.id, [
          { row, position: { lat, lng }, at: test.clock.now(), userIdentifier: `u${i}` },
        ]),
      )
    }
    const found = await call('GET', '/map/density?west=5&south=47&east=15&north=55')
    expect(found.status, JSON.stringify(found.body)).to.equal(200)
    const { cells, size, isComplete } = found.body as {
      size: number
      isComplete: boolean
      cells: { south: number; west: number; installs: number }[]
    }
    expect(isComplete).to.equal(true)
    expect(cells).to.have.length(1)
    expect(cells[0]!.installs).to.equal(10)
    expect(52.5 - cells[0]!.south).to.be.within(0, size)
    expect((await call('GET', '/map/density?west=5&south=47&east=1&north=55')).status).to.equal(422)
    expect((await call('GET', '/map')).body).to.deep.equal({ tiles: null, credit: null })
  })
})

describe('map pictures of the console', () => {
  it('come from the address of the settings, whose origin the policy names', async () => {
    const tiles = 'https://tiles.example.com/{z}/{x}/{y}.png'
    const test = await openTestServer({ settings: { 'console.tiles': tiles, 'console.tilesCredit': '© Somebody' } })
    try {
      const page = await fetch(`${test.address}/console/`)
      expect(page.headers.get('content-security-policy')).to.include("img-src 'self' data: https://tiles.example.com;")
      const owner = await addPerson(test.program)
      const map = await test.call('GET', `/admin/v1/apps/${test.first.id}/map`, { auth: `Bearer ${owner.token}` })
      expect(map.body).to.deep.equal({ tiles, credit: '© Somebody' })
    } finally {
      await test.close()
    }
  })
})
