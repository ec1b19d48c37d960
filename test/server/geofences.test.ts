import { expect } from 'chai'
import { circle, polygon } from '../support/geofences.ts'
import { basic, openTestServer, type TestServer } from '../support/http.ts'
import { addInstall } from '../support/installs.ts'
import { onSqliteDaily } from '../support/program.ts'

type Json = Record<string, unknown>

onSqliteDaily('the geofence interface', (kind) => {
  let test: TestServer
  before(async () => {
    test = await openTestServer({ kind })
  })
  after(() => test.close())

  const PATH = '/messages/v1/geofences'
  const post = (body: unknown) => test.call('POST', PATH, { body })
  const create = async (body: object) => {
    const { status, body: made } = await post(body)
    expect(status, JSON.stringify(made)).to.equal(201)
    return made as Json & { id: number }
  }

  it('makes a circle as the contract writes it', async () => {
    const body = { name: 'Office', boundsGeoJson: circle([13.4, 52.5], 250.5), isEnabled: true, tags: ['work', 'city'] }
    const made = await create(body)
    const at = '2026-03-01T12:00:00+0000'
    const { id, ...rest } = made
    expect(id).to.be.a('number')
    expect(Object.keys(made)).to.deep.equal([
      'id',
      'name',
      'isEnabled',
      'boundsGeoJson',
      'tags',
      'activationCount',
      'activeUsers',
      'appId',
      'createdAt',
      'updatedAt',
    ])
    expect(rest).to.deep.equal({
      ...body,
      activationCount: 0,
      activeUsers: 0,
      appId: test.first.id,
      createdAt: at,
      updatedAt: at,
    })
    expect((await test.call('GET', `${PATH}/${id}`)).body).to.deep.equal(made)
  })

  it('makes a polygon and gives back its GeoJSON as it was, and what is not said has its default', async () => {
    const bounds = {
      ...polygon([
        [0, 0],
        [10, 0],
        [10, 10],
        [0, 10],
        [0, 0],
      ]),
      properties: { orderAdded: [0, 1, 2, 3], markerLocation: [5, 5], color: 'red' },
    }
    expect(await create({ name: 'Field', boundsGeoJson: bounds })).to.deep.include({
      boundsGeoJson: bounds,
      isEnabled: true,
      tags: [],
    })
  })

  const wrong: [string, unknown, string[]][] = [
    ['nothing', {}, ['name', 'boundsGeoJson']],
    [
      'wrong types',
      { name: 5, boundsGeoJson: [], isEnabled: 1, tags: 'x' },
      ['name', 'boundsGeoJson', 'isEnabled', 'tags'],
    ],
    [
      'a wrong position',
      {
        name: 'x',
        boundsGeoJson: polygon([
          [0, 0],
          [1, 0],
          [1, 1],
          [0, 100],
          [0, 0],
        ]),
      },
      ['boundsGeoJson.geometry.coordinates[0][3]'],
    ],
    [
      'several at once',
      { boundsGeoJson: circle([200, 0], -1), tags: ['ok', 7] },
      ['name', 'boundsGeoJson.geometry.coordinates', 'boundsGeoJson.properties.radius', 'tags[1]'],
    ],
    ['a list', [], ['']],
    ['no JSON', '{"name"', ['']],
  ]
  for (const [what, body, keys] of wrong) {
    it(`answers 422 to ${what} and names every wrong key`, async () => {
      const answer = await post(body)
      expect(answer.status).to.equal(422)
      expect(Object.keys((answer.body as { errors: Json }).errors)).to.have.members(keys)
    })
  }

  it('asks for the server key', async () => {
    for (const [method, path] of [
      ['POST', PATH],
      ['GET', PATH],
      ['GET', `${PATH}/1`],
      ['PUT', `${PATH}/1`],
      ['DELETE', `${PATH}/1`],
    ] as const) {
      for (const auth of ['none', 'device', 'Basic !'] as const) {
        expect((await test.call(method, path, { auth })).status, `${method} ${path} ${auth}`).to.equal(401)
      }
    }
  })

  it('changes, lists with a cursor and deletes', async () => {
    const { id } = await create({ name: 'A', boundsGeoJson: circle([1, 1], 10), tags: ['x'] })
    const changed = await test.call('PUT', `${PATH}/${id}`, { body: { name: 'B', isEnabled: false } })
    expect(changed.status).to.equal(200)
    expect(changed.body).to.deep.include({ name: 'B', isEnabled: false, tags: ['x'] })
    const page = (await test.call('GET', `${PATH}?after=${id - 1}&limit=1`)).body as {
      geofences: Json[]
      next: number | null
    }
    expect(page).to.deep.equal({ geofences: [changed.body], next: null })
    expect((await test.call('GET', `${PATH}?limit=1`)).body)
      .to.have.property('next')
      .that.is.a('number')
    expect((await test.call('GET', `${PATH}?limit=0&after=x`)).status).to.equal(422)
    const gone = await test.call('DELETE', `${PATH}/${id}`)
    expect([gone.status, gone.body]).to.deep.equal([204, undefined])
    for (const method of ['GET', 'PUT', 'DELETE']) {
      const answer = await test.call(method, `${PATH}/${id}`, method === 'PUT' ? { body: {} } : {})
      expect(answer.status, method).to.equal(404)
    }
    expect((await test.call('GET', `${PATH}/home`)).status).to.equal(404)
  })

  it('does not show the fences of one app to another', async () => {
    const { id } = await create({ name: 'Mine', boundsGeoJson: circle([2, 2], 10) })
    const other = await test.program.inTransaction((tx) => tx.apps.create({ name: 'Other' }))
    const auth = basic(other.apiKey, other.serverKey)
    expect((await test.call('GET', PATH, { auth })).body).to.deep.equal({ geofences: [], next: null })
    expect((await test.call('GET', `${PATH}/${id}`, { auth })).status).to.equal(404)
    expect((await test.call('DELETE', `${PATH}/${id}`, { auth })).status).to.equal(404)
    expect((await test.call('GET', `${PATH}/${id}`)).status).to.equal(200)
  })

  it('counts devices that tell their position, in an event or by the legacy call', async () => {
    const { id } = await create({ name: 'Park', boundsGeoJson: circle([8.5, 50.1], 300) })
    const event = {
      type: 'k.engage.locationUpdated',
      uuid: 'u-1',
      timestamp: test.clock.now(),
      data: { lat: 50.1, lng: '8.5' },
    }
    const sent = await test.call('POST', '/events/v1/app-installs/phone/events', { auth: 'device', body: [event] })
    expect(sent.status).to.be.within(200, 299)
    const legacy = await test.call('PUT', '/events/v1/app-installs/old-phone/location', {
      auth: 'device',
      body: { lat: 50.1, lng: 8.5 },
    })
    expect(legacy.status).to.equal(204)
    expect((await test.call('GET', `${PATH}/${id}`)).body).to.include({ activationCount: 2, activeUsers: 2 })
    await test.call('PUT', '/events/v1/app-installs/old-phone/location', {
      auth: 'device',
      body: { lat: 50.2, lng: 8.5 },
    })
    await test.call('PUT', '/events/v1/app-installs/old-phone/location', { auth: 'device', body: { lat: 'here' } })
    expect((await test.call('GET', `${PATH}/${id}`)).body).to.include({ activationCount: 2, activeUsers: 1 })
  })

  describe('the import of a file', () => {
    const IMPORT = `${PATH}/import`
    const feature = (name: string, radius?: number) => ({
      type: 'Feature',
      geometry: { type: 'Point', coordinates: [13.4, 52.5] },
      properties: { name, tags: ['shops'], ...(radius !== undefined && { radius }) },
    })
    const file = (...features: object[]) => ({ body: { type: 'FeatureCollection', features } })
    const names = async () => {
      const { body } = await test.call('GET', `${PATH}?limit=1000`)
      return (body as { geofences: { name: string }[] }).geofences.map(({ name }) => name)
    }

    it('is looked at first, stores all, and the same file again stores nothing', async () => {
      const two = file(feature('Shop 1', 90), feature('Shop 2', 80))
      const look = await test.call('POST', `${IMPORT}/preview`, two)
      expect(look.body).to.deep.include({ created: 2, existing: 0, refused: 0 })
      expect(await names()).to.not.include('Shop 1')
      const { status, body } = await test.call('POST', IMPORT, two)
      expect(status).to.equal(200)
      const { features } = body as { features: { id: number; outcome: string }[] }
      expect(features.map(({ outcome }) => outcome)).to.deep.equal(['new', 'new'])
      const stored = (await test.call('GET', `${PATH}/${features[1]!.id}`)).body
      expect(stored).to.deep.include({ name: 'Shop 2', tags: ['shops'], boundsGeoJson: circle([13.4, 52.5], 80) })
      const again = await test.call('POST', IMPORT, two)
      expect(again.body).to.deep.include({ created: 0, existing: 2, refused: 0 })
      const twice = await test.call('POST', `${IMPORT}/preview`, file(feature('Shop 3', 5), feature('Shop 3', 5)))
      expect(twice.body).to.deep.include({ created: 1, existing: 1 })
    })

    it('stores nothing when one is refused, or leaves it out where that is asked for', async () => {
      const mixed = file(feature('Good', 90), feature('No radius'))
      const { status, body } = await test.call('POST', IMPORT, mixed)
      expect(status).to.equal(422)
      expect(JSON.stringify(body)).to.include('features[1]').and.include('properties.radius is required')
      expect(await names()).to.not.include('Good')
      const left = await test.call('POST', `${IMPORT}?skipRefused=true`, mixed)
      expect(left.body).to.deep.include({ created: 1, existing: 0, refused: 1 })
      expect(await names())
        .to.include('Good')
        .and.not.include('No radius')
      const given = await test.call('POST', `${IMPORT}?radius=150`, mixed)
      expect(given.body).to.deep.include({ created: 1, existing: 1, refused: 0 })
    })

    it('refuses a radius that is none, and a body that is no file', async () => {
      for (const radius of ['0', '-1', 'x', '20000000']) {
        expect((await test.call('POST', `${IMPORT}?radius=${radius}`, file(feature('A')))).status, radius).to.equal(422)
      }
      expect((await test.call('POST', IMPORT, { body: [] })).status).to.equal(422)
      expect((await test.call('POST', IMPORT, { body: { type: 'Topology' } })).status).to.equal(422)
    })

    it('places installs that are there already, and leaves the rest of many to housekeeping', async () => {
      const row = await addInstall(test.program, test.first.id, 'at-import')
      await test.program.inTransaction((tx) =>
        tx.geofences.move(test.first.id, [
          { row, position: { lat: -40, lng: 170 }, at: test.clock.now(), userIdentifier: 'at-import' },
        ]),
      )
      const there = { type: 'Point', coordinates: [170, -40] }
      const many = Array.from({ length: 1200 }, (_, i) => ({ ...feature(`Many ${i}`, 50 + i / 10), geometry: there }))
      const { body } = await test.call('POST', IMPORT, file(...many))
      const { created, features } = body as { created: number; features: { id: number }[] }
      expect(created).to.equal(1200)
      expect(new Set(features.map(({ id }) => id)).size).to.equal(1200)
      const inside = async (i: number) =>
        ((await test.call('GET', `${PATH}/${features[i]!.id}`)).body as { activeUsers: number }).activeUsers
      expect(await inside(0)).to.equal(1)
      while (await test.program.inTransaction((tx) => tx.geofences.settle())) continue
      expect(await inside(1199)).to.equal(1)
    })
  })
})
