import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { type OpenConsole, useConsole } from './support/console.ts'

/** The map's element in the page. */
const MAP = 'document.querySelector(".map-frame")'

describe('geofences in the console', () => {
  let console: OpenConsole
  useConsole((opened) => (console = opened))

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
    await console.sees('Entries so far')
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

  it('somebody goes to a place by its name and draws a circle there', async () => {
    await console.visit(`/apps/${console.appId}/geofences/new`)
    await console.type('Go to a place', 'zurich')
    await console.sees('Switzerland')
    await console.page.keyboard.press('Enter')
    await console.press('Circle at the pin')
    await console.sees('around 47.38')
    await console.press('Larger')
    await console.type('Name', 'Around Zürich')
    await console.press('Create the geofence')
    await console.sees('Around Zürich')
    const { boundsGeoJson, id } = (await fences()).at(-1)!
    expect(boundsGeoJson.geometry.coordinates[0]).to.be.closeTo(8.55, 0.05)
    await console.server.program.inTransaction((tx) => tx.geofences.delete(console.appId, id))
  })

  it('two bare numbers are offered both ways round, and a link that says no place is refused in words', async () => {
    await console.visit(`/apps/${console.appId}/geofences`)
    await console.type('Go to a place', '52.52, 13.40')
    await console.sees('Read as latitude, longitude')
    await console.sees('Read as longitude, latitude')
    await console.type('Go to a place', 'https://maps.app.goo.gl/abc')
    await console.sees('A short link says nothing of its place.')
    await console.type('Go to a place', 'https://www.openstreetmap.org/#map=15/52.52/13.405')
    await console.sees('From the link of OpenStreetMap')
    await console.page.keyboard.press('Enter')
    await console.page.waitForSelector('.map-found')
    await console.press('No streets? Add them')
    await console.sees('tilesCredit')
    await console.closeDialog()
  })

  it('a wheel without the key tells how to zoom, and a press chooses a geofence before it opens it', async () => {
    const { id } = await console.server.program.inTransaction((tx) =>
      tx.geofences.create(console.appId, {
        name: 'To choose',
        boundsGeoJson: {
          type: 'Feature',
          geometry: { type: 'Point', coordinates: [-70, -50] },
          properties: { radius: 500 },
        },
      }),
    )
    await console.visit(`/apps/${console.appId}/audit`)
    await console.visit(`/apps/${console.appId}/geofences`)
    await console.sees('To choose')
    const at = await spot(0.02, 0.5)
    await console.page.mouse.move(at.x, at.y)
    await console.page.mouse.wheel({ deltaY: 20 })
    await console.sees('to zoom with the wheel')
    const mark = '.map-shapes a[aria-label="To choose"]'
    await console.page.waitForSelector(mark)
    await console.page.evaluate(`document.querySelector('${mark}').focus()`)
    await console.page.keyboard.press('Enter')
    await console.page.waitForSelector('.map-chosen')
    await console.page.keyboard.press('Enter')
    await console.sees('People inside now')
    await console.server.program.inTransaction((tx) => tx.geofences.delete(console.appId, id))
  })

  it('a group of geofences that is opened with the keys gives the focus to the map', async () => {
    const places = [-70, -70.01, 60].map((lng) => ({
      name: `Near ${lng}`,
      boundsGeoJson: {
        type: 'Feature' as const,
        geometry: { type: 'Point' as const, coordinates: [lng, -50] as [number, number] },
        properties: { radius: 500 },
      },
    }))
    const { program } = console.server
    const made: { id: number }[] = []
    for (const place of places)
      made.push(await program.inTransaction((tx) => tx.geofences.create(console.appId, place)))
    await console.visit(`/apps/${console.appId}/audit`)
    await console.visit(`/apps/${console.appId}/geofences`)
    await console.page.waitForSelector('.map-cluster')
    // A map that has read more meanwhile draws its groups anew: what was focused is gone, and nothing was opened yet.
    await console.page.waitForFunction(`(() => {
      if (document.activeElement.matches('.map-frame')) return true
      const group = document.querySelector('.map-cluster')
      group?.focus()
      group?.dispatchEvent(new KeyboardEvent('keydown', { key: 'Enter', bubbles: true }))
      return false
    })()`)
    await program.inTransaction(async (tx) => {
      for (const { id } of made) await tx.geofences.delete(console.appId, id)
    })
  })

  it('somebody selects a corner and removes it with a button', async () => {
    const corners = [
      [20, 50],
      [21, 50],
      [21, 51],
      [20, 51],
      [20, 50],
    ]
    const { id } = await console.server.program.inTransaction((tx) =>
      tx.geofences.create(console.appId, {
        name: 'By buttons',
        boundsGeoJson: {
          type: 'Feature',
          geometry: { type: 'Polygon', coordinates: [corners] as never },
          properties: { orderAdded: [0, 1, 2, 3] },
        },
      }),
    )
    await console.visit(`/apps/${console.appId}/geofences/${id}`)
    await console.sees('An area of 4 corners')
    await focus('Corner 2 of 4')
    await console.sees('50° N, 21° E')
    await console.press('Remove the corner')
    await console.sees('An area of 3 corners')
    await console.press('Save the geofence')
    await console.sees('The geofence is saved.')
    await console.server.program.inTransaction((tx) => tx.geofences.delete(console.appId, id))
  })

  it('somebody imports a file: looks at its rows, gives points a radius, and leaves the rest out', async () => {
    const feature = (name: string, geometry: object, properties: object = {}) => ({
      type: 'Feature',
      geometry,
      properties: { name, ...properties },
    })
    const point = { type: 'Point', coordinates: [9, 48] }
    const file = join(mkdtempSync(join(tmpdir(), 'geofences-')), 'shops.geojson')
    const bring = async (text: string) => {
      writeFileSync(file, text)
      const input = (await console.page.waitForSelector('input[type=file]')) as unknown as {
        uploadFile(path: string): Promise<void>
      }
      await input.uploadFile(file)
    }
    await console.visit(`/apps/${console.appId}/geofences`)
    await console.press('Import')
    await console.sees('Drop a GeoJSON file here')
    for (const [text, problem] of [
      ['', 'The file is empty.'],
      ['{"type":', 'This is not JSON'],
      ['[]', 'This is not GeoJSON'],
      ['{"type":"Topology"}', 'must be FeatureCollection'],
      ['{"type":"FeatureCollection","features":[]}', 'must not be empty'],
    ] as const) {
      await bring(text)
      await console.sees(problem)
    }
    const features = [
      feature('Shop Mitte', point, { radius: 90 }),
      feature('Shop Nord', point),
      feature('Route 7', { type: 'LineString', coordinates: [] }),
    ]
    await bring(JSON.stringify({ type: 'FeatureCollection', features }))
    await console.sees('1 new, 2 cannot be geofences')
    await console.sees('geometry is a LineString')
    await console.type('Radius of points that have none', '150')
    await console.sees('2 new, 1 cannot be geofences')
    await console.press('Leave out the one that cannot be geofences')
    await console.press('Import 2')
    await console.sees('2 geofences are there.')
    const made = (await fences()).filter(({ name }) => name.startsWith('Shop '))
    expect(made.map(({ boundsGeoJson: { properties } }) => properties)).to.deep.equal([{ radius: 90 }, { radius: 150 }])
    for (const { id } of made)
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
