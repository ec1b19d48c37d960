import { expect } from 'chai'
import { featureOf, MAX_FEATURES, readCollection } from '../../../../src/domain/geofences/files/collection.ts'
import { isAppError } from '../../../../src/platform/errors.ts'

const SQUARE = [
  [0, 0],
  [1, 0],
  [1, 1],
  [0, 1],
  [0, 0],
]
const point = (properties: unknown, coordinates: unknown = [13.4, 52.5]) => ({
  type: 'Feature',
  geometry: { type: 'Point', coordinates },
  properties,
})
const area = (geometry: object, properties: object = { name: 'A' }) => ({ type: 'Feature', geometry, properties })
const file = (...features: unknown[]) => ({ type: 'FeatureCollection', features })
const one = (feature: unknown, radius?: number) => readCollection(file(feature), radius)[0]!

describe('a GeoJSON file of geofences', () => {
  it('a point with a radius is a circle, with its name, tags and state', () => {
    const { geofence, name, problems } = one(
      point({ name: 'Shop', radius: 90, tags: ['city'], isEnabled: false, shop: 17 }),
    )
    expect(problems).to.deep.equal([])
    expect(name).to.equal('Shop')
    expect(geofence).to.deep.equal({
      name: 'Shop',
      tags: ['city'],
      isEnabled: false,
      boundsGeoJson: point({ radius: 90, shop: 17 }),
    })
  })

  const taken: [string, unknown, object][] = [
    ['a radius written as a text', point({ name: 'A', radius: ' 90.5 ' }), { properties: { radius: 90.5 } }],
    [
      'a position with a height',
      point({ name: 'A', radius: 1 }, [1, 2, 30]),
      { geometry: { type: 'Point', coordinates: [1, 2] } },
    ],
    [
      'a polygon, whose corners get an order',
      area({ type: 'Polygon', coordinates: [SQUARE] }),
      { properties: { orderAdded: [0, 1, 2, 3] } },
    ],
    [
      'an order that is given',
      area({ type: 'Polygon', coordinates: [SQUARE] }, { name: 'A', orderAdded: [3, 0, 1, 2] }),
      { properties: { orderAdded: [3, 0, 1, 2] } },
    ],
    [
      'a multipolygon of one area',
      area({ type: 'MultiPolygon', coordinates: [[SQUARE]] }),
      { geometry: { type: 'Polygon', coordinates: [SQUARE] } },
    ],
    [
      'ids and boxes, which are left out',
      { ...area({ type: 'Polygon', bbox: [0, 0, 1, 1], coordinates: [SQUARE] }), id: 7, bbox: [0, 0, 1, 1] },
      { geometry: { type: 'Polygon', coordinates: [SQUARE] } },
    ],
  ]
  for (const [what, feature, expected] of taken) {
    it(`takes ${what}`, () => {
      const { geofence, problems } = one(feature)
      expect(problems).to.deep.equal([])
      expect(geofence!.boundsGeoJson).to.deep.include(expected)
      expect(geofence!.boundsGeoJson).to.not.have.any.keys('id', 'bbox')
    })
  }

  it('names come from name or title in any letters, and numbers are names', () => {
    const nameOf = (properties: object) => one(point({ ...properties, radius: 1 })).geofence?.name
    expect(nameOf({ title: 'T', name: 'N' })).to.equal('N')
    expect(nameOf({ NAME: 'N' })).to.equal('N')
    expect(nameOf({ name: null, Title: 'T' })).to.equal('T')
    expect(nameOf({ name: 17 })).to.equal('17')
    expect(one(point({ Name: 'N', radius: 1 })).geofence!.boundsGeoJson.properties).to.deep.equal({ radius: 1 })
  })

  it('tags may be a text with commas, and points without a radius get that of the import', () => {
    const { geofence } = one(point({ name: 'A', tags: ' city, north ,' }), 150)
    expect(geofence!.tags).to.deep.equal(['city', 'north'])
    expect(geofence!.boundsGeoJson.properties).to.deep.equal({ radius: 150 })
    expect(one(point({ name: 'A', radius: 20 }), 150).geofence!.boundsGeoJson.properties).to.deep.equal({ radius: 20 })
  })

  const refused: [string, unknown, RegExp][] = [
    ['null', null, /type must be Feature/],
    ['a geometry in place of a feature', { type: 'Point', coordinates: [0, 0] }, /type must be Feature/],
    ['no geometry', { type: 'Feature', properties: { name: 'A' } }, /geometry is missing/],
    ['a null geometry', { type: 'Feature', geometry: null, properties: { name: 'A' } }, /geometry is missing/],
    ['a geometry without type', area({ coordinates: [] }), /value without type/],
    ['a line', area({ type: 'LineString', coordinates: SQUARE }), /is a LineString: a geofence is/],
    ['several points', area({ type: 'MultiPoint', coordinates: SQUARE }), /is a MultiPoint/],
    ['a collection of geometries', area({ type: 'GeometryCollection', geometries: [] }), /is a GeometryCollection/],
    [
      'an archipelago',
      area({ type: 'MultiPolygon', coordinates: [[SQUARE], [SQUARE], [SQUARE]] }),
      /MultiPolygon of 3 areas/,
    ],
    ['an empty multipolygon', area({ type: 'MultiPolygon', coordinates: [] }), /MultiPolygon of 0 areas/],
    ['a multipolygon of texts', area({ type: 'MultiPolygon', coordinates: 'x' }), /is a MultiPolygon/],
    ['no name', point({ radius: 1 }), /properties\.name is required/],
    ['a name that is none', point({ name: ['A'], radius: 1 }), /properties\.name must be a string/],
    ['an empty name', point({ Title: '', radius: 1 }), /properties\.Title must not be empty/],
    ['a long name', point({ name: 'x'.repeat(256), radius: 1 }), /properties\.name .*255/],
    ['a point without a radius', point({ name: 'A' }), /properties\.radius is required: metres/],
    ['a radius of nothing', point({ name: 'A', radius: 0 }), /properties\.radius must be a number of metres/],
    ['a radius with its unit', point({ name: 'A', radius: '90 m' }), /properties\.radius must be a number of metres/],
    [
      'degrees the wrong way round',
      point({ name: 'A', radius: 1 }, [52.5, 113.4]),
      /geometry\.coordinates must be \[longitude, latitude\]/,
    ],
    [
      'positions of another system',
      point({ name: 'A', radius: 1 }, [1_490_000, 6_890_000]),
      /geometry\.coordinates must/,
    ],
    ['a position of texts', point({ name: 'A', radius: 1 }, ['13', '52']), /geometry\.coordinates must/],
    ['no coordinates', area({ type: 'Polygon' }), /geometry\.coordinates must be an array/],
    [
      'a ring that is open',
      area({ type: 'Polygon', coordinates: [SQUARE.slice(0, 4)] }),
      /must repeat the first position/,
    ],
    [
      'a ring that crosses itself',
      area({
        type: 'Polygon',
        coordinates: [
          [
            [0, 0],
            [4, 0],
            [4, 4],
            [1, -2],
            [0, 0],
          ],
        ],
      }),
      /geometry\.coordinates\[0\]\[\d\] begins a line that crosses/,
    ],
    ['no ring', area({ type: 'Polygon', coordinates: [] }), /geometry\.coordinates must not be empty/],
    [
      'too many positions',
      area({ type: 'Polygon', coordinates: [Array.from({ length: 2001 }, (_, i) => [i / 1000, 0])] }),
      /at most 2000 positions/,
    ],
    ['tags that are none', point({ name: 'A', radius: 1, tags: { a: 1 } }), /properties\.tags must be an array/],
    [
      'a state that is none',
      point({ name: 'A', radius: 1, isEnabled: 'yes' }),
      /properties\.isEnabled must be true or false|properties\.isEnabled must be a `?boolean/,
    ],
    ['properties that are none', point('x'), /properties\.name is required/],
  ]
  for (const [what, feature, reason] of refused) {
    it(`refuses ${what}, and says why`, () => {
      const { geofence, problems } = one(feature)
      expect(geofence).to.equal(undefined)
      expect(problems.join('\n')).to.match(reason)
    })
  }

  it('names five problems of a feature at most', () => {
    const { problems } = one(area({ type: 'Polygon', coordinates: [Array.from({ length: 50 }, () => 'x')] }))
    expect(problems).to.have.length(5)
    expect(problems.at(-1)).to.match(/and \d+ more problems/)
  })

  const wrong: [string, unknown, RegExp][] = [
    ['null', null, /type/],
    ['a list', [], /type/],
    ['a text', 'x', /type/],
    ['TopoJSON', { type: 'Topology', objects: {} }, /type/],
    ['a bare geometry', { type: 'Point', coordinates: [0, 0] }, /type/],
    ['no features', { type: 'FeatureCollection' }, /features/],
    ['an object of features', { type: 'FeatureCollection', features: {} }, /features/],
    ['an empty file', file(), /features/],
    ['too many features', file(...Array.from({ length: MAX_FEATURES + 1 }, () => null)), /features/],
    [
      'another coordinate system',
      { ...file(point({})), crs: { type: 'name', properties: { name: 'EPSG:3857' } } },
      /crs/,
    ],
    ['a system that is none', { ...file(point({})), crs: 4326 }, /crs/],
  ]
  for (const [what, value, key] of wrong) {
    it(`a file that is ${what} is refused as a whole`, () => {
      expect(() => readCollection(value))
        .to.throw()
        .that.satisfies(
          (error: unknown) => isAppError(error) && key.test(Object.keys(error.details.fields ?? {}).join()),
        )
    })
  }

  it('WGS 84 may be said, and one feature is a file too', () => {
    const crs = { type: 'name', properties: { name: 'urn:ogc:def:crs:OGC:1.3:CRS84' } }
    expect(readCollection({ ...file(point({ name: 'A', radius: 1 })), crs })).to.have.length(1)
    expect(readCollection(point({ name: 'A', radius: 1 }))[0]!.problems).to.deep.equal([])
  })

  it('what is exported is read as the same geofence', () => {
    const { geofence } = one(area({ type: 'Polygon', coordinates: [SQUARE] }, { name: 'A', tags: ['x'], from: 'qgis' }))
    const exported = featureOf({ ...geofence!, id: 7, tags: geofence!.tags!, isEnabled: true })
    expect(exported).to.include({ id: 7 })
    const again = one(JSON.parse(JSON.stringify(exported))).geofence!
    expect(JSON.stringify(again.boundsGeoJson)).to.equal(JSON.stringify(geofence!.boundsGeoJson))
    expect(again).to.include({ name: 'A', isEnabled: true })
  })
})
