import { expect } from 'chai'
import { type OpenConsole, openConsole } from './support/console.ts'

/** The map's element in the page. */
const MAP = 'document.querySelector(".map-frame")'

describe('geofences in the console', () => {
  let console: OpenConsole
  before(async function () {
    console = await openConsole(this)
  })
  after(() => console?.close())
  afterEach(() => expect(console.problems.splice(0)).to.deep.equal([]))

  const fences = async () => (await console.server.program.geofences.list(console.appId, { limit: 50 })).geofences
  /** Presses the mouse at a share of the map's width and height. */
  const spot = async (x: number, y: number) => {
    const box = (await console.page.evaluate(
      `(() => { const b = ${MAP}.getBoundingClientRect(); return [b.left, b.top, b.width, b.height] })()`,
    )) as number[]
    return { x: box[0]! + box[2]! * x, y: box[1]! + box[3]! * y }
  }
  const click = async (x: number, y: number) => {
    const at = await spot(x, y)
    await console.page.mouse.click(at.x, at.y)
  }
  /** Finds the handle of a corner, once the map has drawn it there. */
  const handle = async (x: number, y: number) => {
    const found = await console.page.waitForFunction(
      `(() => {
        const b = ${MAP}.getBoundingClientRect()
        const at = { x: b.left + b.width * ${x}, y: b.top + b.height * ${y} }
        return document.elementFromPoint(at.x, at.y)?.closest('.map-handle') && at
      })()`,
      { timeout: 60_000 },
    )
    return (await found.jsonValue()) as { x: number; y: number }
  }
  const focus = async (label: string) => {
    await console.page.waitForSelector(`[aria-label="${label}"]`)
    await console.page.evaluate(`document.querySelector('[aria-label="${label}"]').focus()`)
  }

  it('somebody draws an area with the mouse, moves a corner and finds it in the list', async () => {
    await console.visit(`/apps/${console.appId}/geofences`)
    await console.sees('No geofences yet')
    await console.press('New geofence')
    await console.sees('Click where the first corner is')
    await console.sees('Geofence is on')
    for (const [x, y] of [
      [0.4, 0.4],
      [0.6, 0.4],
      [0.6, 0.6],
      [0.4, 0.6],
    ] as const)
      await click(x, y)
    await console.sees('4 corners')
    await console.press('Finish the area')
    await console.sees('Drag corners')
    const [from, to] = [await handle(0.6, 0.6), await spot(0.7, 0.7)]
    await console.page.mouse.move(from.x, from.y)
    await console.page.mouse.down()
    await console.page.mouse.move(to.x, to.y, { steps: 4 })
    await console.page.mouse.up()
    await console.type('Name', 'Square')
    await console.type('Tags', 'city, north, city')
    await console.press('Create the geofence')
    await console.sees('Area of 4 corners')
    const [made] = await fences()
    expect(made).to.include({ name: 'Square' })
    expect(made!.tags).to.deep.equal(['city', 'north'])
    const { geometry, properties } = made!.boundsGeoJson
    const ring = geometry.coordinates[0] as unknown as [number, number][]
    expect(ring).to.have.length(5)
    expect(ring[2]![0]).to.be.above(ring[1]![0] + 5)
    expect(properties).to.deep.include({ orderAdded: [0, 1, 2, 3] })
    expect(properties).to.have.property('markerLocation').with.length(2)
  })

  it('somebody draws and changes an area with the keyboard alone', async () => {
    await console.visit(`/apps/${console.appId}/geofences/new`)
    await console.page.focus('.map-frame')
    const { keyboard } = console.page
    await keyboard.press('+')
    for (const key of ['ArrowRight', 'ArrowDown', 'ArrowLeft'] as const) {
      await keyboard.press('Enter')
      await keyboard.press(key)
    }
    await keyboard.press('Enter')
    await console.sees('4 corners')
    await keyboard.press('Backspace')
    await console.sees('3 corners')
    await keyboard.press('Escape')
    await focus('Corner 1 of 3')
    await keyboard.press('ArrowUp')
    await focus('Add a corner after corner 1')
    await keyboard.press('Enter')
    await focus('Corner 4 of 4')
    await keyboard.press('Delete')
    await console.type('Name', 'By keys')
    await console.page.focus('[name=name]')
    await keyboard.press('Enter')
    await console.sees('By keys')
    await console.sees('Area of 3 corners')
    const made = (await fences()).at(-1)!
    expect(made.boundsGeoJson.properties).to.deep.include({ orderAdded: [0, 2, 1] })
  })

  it('somebody types a circle, and changes it by its numbers', async () => {
    await console.visit(`/apps/${console.appId}/geofences/new`)
    await console.press('Circle')
    await console.type('Latitude', '52.52')
    await console.type('Longitude', '13.405')
    await console.type('Radius', '250')
    await console.type('Name', 'Office')
    await console.press('Create the geofence')
    await console.sees('Circle of 250 m')
    const made = (await fences()).at(-1)!
    expect(made.boundsGeoJson.geometry).to.deep.equal({ type: 'Point', coordinates: [13.405, 52.52] })
    await console.page.locator('.cell-link::-p-text(Office)').click()
    await console.sees('People inside now')
    await console.type('Radius', '300')
    await console.press('Save the geofence')
    await console.sees('The geofence is saved.')
    expect((await fences()).at(-1)!.boundsGeoJson.properties).to.deep.equal({ radius: 300 })
  })

  it('somebody brings GeoJSON, which keeps what it has besides, and takes it along', async () => {
    await console.visit(`/apps/${console.appId}/geofences/new`)
    await console.page.click('summary::-p-text(GeoJSON)')
    await console.type('GeoJSON', '{"type": "LineString", "coordinates": []}')
    await console.sees('The geometry is a LineString')
    const ring = [
      [10, 50],
      [11, 50],
      [11, 51],
      [10, 50],
    ]
    const feature = {
      type: 'Feature',
      geometry: { type: 'Polygon', coordinates: [ring] },
      properties: { from: 'qgis' },
    }
    await console.type('GeoJSON', JSON.stringify({ type: 'FeatureCollection', features: [feature] }))
    await console.sees('3 corners as numbers')
    await console.type('Name', 'From a file')
    const saved = (await console.page.evaluate(
      `decodeURIComponent(document.querySelector('a[download$=".geojson"]').href.split(',').slice(1).join(','))`,
    )) as string
    expect(JSON.parse(saved).geometry.coordinates).to.deep.equal([ring])
    await console.press('Create the geofence')
    await console.sees('From a file')
    const made = (await fences()).at(-1)!
    expect(made.boundsGeoJson.properties).to.deep.include({ from: 'qgis', orderAdded: [0, 1, 2] })
  })

  it('somebody changes an area: the order, the marker and the hole stay right', async () => {
    const hole = [
      [10.4, 50.4],
      [10.6, 50.4],
      [10.6, 50.6],
      [10.4, 50.4],
    ]
    const corners = [
      [10, 50],
      [11, 50],
      [11, 51],
      [10, 51],
    ]
    const { id } = await console.server.program.inTransaction((tx) =>
      tx.geofences.create(console.appId, {
        name: 'With a lake',
        boundsGeoJson: {
          type: 'Feature',
          geometry: { type: 'Polygon', coordinates: [[...corners, corners[0]!], hole] as never },
          properties: { orderAdded: [2, 0, 1, 3], markerLocation: [50.2, 10.2], from: 'qgis' } as never,
        },
      }),
    )
    const { keyboard } = console.page
    await console.visit(`/apps/${console.appId}/geofences/${id}`)
    await focus('Corner 2 of 4')
    await keyboard.press('ArrowRight')
    await focus('Add a corner after corner 4')
    await keyboard.press('Enter')
    await focus('Corner 1 of 5')
    await keyboard.press('Delete')
    await console.press('Save the geofence')
    await console.sees('The geofence is saved.')
    const saved = (await console.server.program.geofences.get(console.appId, id)).boundsGeoJson
    const [ring, kept] = saved.geometry.coordinates as unknown as [[number, number][], [number, number][]]
    expect(ring).to.have.length(5)
    expect(ring[0]![0]).to.be.above(11)
    expect(ring.slice(1, 3)).to.deep.equal([
      [11, 51],
      [10, 51],
    ])
    expect(ring[4]).to.deep.equal(ring[0])
    expect(kept).to.deep.equal(hole)
    expect(saved.properties).to.deep.equal({ orderAdded: [1, 0, 2, 3], markerLocation: [50.2, 10.2], from: 'qgis' })
    await console.server.program.inTransaction((tx) => tx.geofences.delete(console.appId, id))
  })

  it('an area across the antimeridian is drawn in one piece, and keeps its corners', async () => {
    const ring = [
      [179, -17],
      [-179, -17],
      [-179, -16],
      [179, -16],
      [179, -17],
    ]
    await console.visit(`/apps/${console.appId}/geofences/new`)
    await console.page.click('summary::-p-text(GeoJSON)')
    await console.type('GeoJSON', JSON.stringify({ type: 'Polygon', coordinates: [ring] }))
    await console.sees('4 corners as numbers')
    await console.type('Name', 'Taveuni')
    await console.press('Create the geofence')
    await console.sees('Taveuni')
    const { id, boundsGeoJson } = (await fences()).at(-1)!
    expect(boundsGeoJson.geometry.coordinates).to.deep.equal([ring])
    await console.visit(`/apps/${console.appId}/geofences/${id}`)
    await console.page.waitForSelector('[aria-label="Corner 4 of 4"]')
    // It fills the map, once the map has been fitted to it: corners that are a whole earth apart would not be in sight together.
    await console.page.waitForFunction(`(() => {
      const spots = [...document.querySelectorAll('[aria-label^="Corner "]')].map((one) => one.getBoundingClientRect().left)
      const spread = Math.max(...spots) - Math.min(...spots)
      const width = ${MAP}.clientWidth
      return spread >= width / 10 && spread <= width
    })()`)
    await console.server.program.inTransaction((tx) => tx.geofences.delete(console.appId, id))
  })

  it('somebody deletes one', async () => {
    const { id } = (await fences()).at(-1)!
    await console.visit(`/apps/${console.appId}/geofences/${id}`)
    await console.press('Delete')
    await console.press('Delete the geofence')
    await console.sees('New geofence')
    expect((await fences()).map((one) => one.id)).to.not.include(id)
  })
})
