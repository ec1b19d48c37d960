import { expect } from 'chai'
import { createGeofence, readPosition, updateGeofence } from '../../../src/domain/geofences/schema.ts'
import { check } from '../../../src/platform/values/parse.ts'
import { circle, polygon } from '../../support/geofences.ts'

type Json = Record<string, unknown>

const errorsOf = (body: unknown) => check(createGeofence, body, true) ?? {}
const withBounds = (boundsGeoJson: unknown) => errorsOf({ name: 'Fence', boundsGeoJson })

/** The contract's polygon with some parts replaced. */
const drawn = (coordinates: unknown, properties: Json = {}) => ({
  type: 'Feature',
  geometry: { type: 'Polygon', coordinates },
  properties: { orderAdded: [0, 1, 2], ...properties },
})
const SQUARE = [
  [0, 0],
  [10, 0],
  [10, 10],
  [0, 10],
  [0, 0],
]

describe('the body of a new geofence', () => {
  const right: [string, unknown][] = [
    ['a circle', circle([13.4, 52.5], 250)],
    ['the smallest and the largest circle', circle([-180, -90], 10_000_000)],
    ['a radius with a fraction', circle([0, 0], 0.001)],
    ['a polygon', drawn([SQUARE])],
    [
      'a polygon with all that the console keeps',
      drawn([SQUARE], { orderAdded: [3, 0, 4], markerLocation: [90, -180] }),
    ],
    ['a polygon that nobody drew', drawn([SQUARE], { orderAdded: [] })],
    [
      'a polygon with a hole',
      drawn([
        SQUARE,
        [
          [4, 4],
          [6, 4],
          [6, 6],
          [4, 4],
        ],
      ]),
    ],
    [
      'a ring that touches itself',
      drawn([
        [
          [0, 0],
          [5, 5],
          [10, 0],
          [10, 10],
          [5, 5],
          [0, 10],
          [0, 0],
        ],
      ]),
    ],
    [
      'a position given twice',
      drawn([
        [
          [0, 0],
          [10, 0],
          [10, 0],
          [10, 10],
          [0, 0],
        ],
      ]),
    ],
    [
      'a polygon over the antimeridian',
      drawn([
        [
          [170, 0],
          [-170, 0],
          [-170, 9],
          [170, 9],
          [170, 0],
        ],
      ]),
    ],
    [
      'a polygon round a pole',
      drawn([
        [
          [0, 80],
          [120, 80],
          [-120, 80],
          [0, 80],
        ],
      ]),
    ],
    [
      'members that nobody asked for',
      { ...circle([0, 0], 1), id: 7, bbox: [0, 0, 1, 1], properties: { radius: 1, note: 'x' } },
    ],
  ]
  for (const [what, bounds] of right) it(`may have ${what}`, () => expect(withBounds(bounds)).to.deep.equal({}))

  const wrong: [string, unknown, string[]][] = [
    ['text for bounds', 'here', ['']],
    ['null for bounds', null, ['']],
    ['an empty object', {}, ['type', 'geometry', 'properties']],
    ['a bare geometry', { type: 'Point', coordinates: [0, 0] }, ['type', 'geometry', 'properties']],
    ['a line', { ...circle([0, 0], 1), geometry: { type: 'LineString', coordinates: [] } }, ['geometry.type']],
    ['a geometry without type', { ...circle([0, 0], 1), geometry: { coordinates: [0, 0] } }, ['geometry.type']],
    ['several polygons', { ...drawn([]), geometry: { type: 'MultiPolygon', coordinates: [] } }, ['geometry.type']],
    ['null parts', { type: 'Feature', geometry: null, properties: null }, ['geometry', 'properties']],
    ['lists for parts', { type: 'Feature', geometry: [], properties: [] }, ['geometry', 'properties']],
    [
      'a circle of text',
      { type: 'Feature', geometry: { type: 'Point', coordinates: ['0', 0] }, properties: { radius: '5' } },
      ['geometry.coordinates', 'properties.radius'],
    ],
    [
      'a circle without anything',
      { type: 'Feature', geometry: { type: 'Point' }, properties: {} },
      ['geometry.coordinates', 'properties.radius'],
    ],
    ['latitude first', circle([52, 113], 5), ['geometry.coordinates']],
    ['a longitude of 181', circle([181, 0], 5), ['geometry.coordinates']],
    [
      'an altitude',
      { ...circle([0, 0], 5), geometry: { type: 'Point', coordinates: [0, 0, 12] } },
      ['geometry.coordinates'],
    ],
    ['no radius', circle([0, 0], 0), ['properties.radius']],
    ['a negative radius', circle([0, 0], -1), ['properties.radius']],
    ['a radius of more than half the earth', circle([0, 0], 10_000_001), ['properties.radius']],
    ['no coordinates of a polygon', drawn(undefined), ['geometry.coordinates']],
    ['no ring', drawn([]), ['geometry.coordinates']],
    ['a ring that is no list', drawn([SQUARE, 'hole']), ['geometry.coordinates[1]']],
    [
      'a flat list',
      drawn([
        [0, 0],
        [1, 0],
        [1, 1],
        [0, 0],
      ]),
      [0, 1, 2, 3]
        .flatMap((i) => [
          `geometry.coordinates[${i}][0]`,
          `geometry.coordinates[${i}][1]`,
          `geometry.coordinates[${i}]`,
        ])
        .concat('properties.orderAdded[2]'),
    ],
    [
      'a wrong position',
      drawn([
        [
          [0, 0],
          [10, 0],
          [10, 10],
          [0, 91],
          [0, 0],
        ],
      ]),
      ['geometry.coordinates[0][3]'],
    ],
    [
      'wrong positions in two rings',
      drawn([
        [
          [0, 0],
          [10, null],
          [10, 10],
          [0, 0],
        ],
        [[1, 1], [2], [2, 2], [1, 1]],
      ]),
      ['geometry.coordinates[0][1]', 'geometry.coordinates[1][1]'],
    ],
    [
      'three positions',
      drawn([
        [
          [0, 0],
          [10, 0],
          [0, 0],
        ],
      ]),
      ['geometry.coordinates[0]'],
    ],
    [
      'a ring that is not closed',
      drawn([
        [
          [0, 0],
          [10, 0],
          [10, 10],
          [0, 10],
        ],
      ]),
      ['geometry.coordinates[0][3]'],
    ],
    [
      'a ring closed at another name of its beginning',
      drawn([
        [
          [180, 0],
          [170, 0],
          [170, 10],
          [-180, 0],
        ],
      ]),
      ['geometry.coordinates[0][3]'],
    ],
    [
      'a bow tie',
      drawn([
        [
          [0, 0],
          [10, 10],
          [10, 0],
          [0, 10],
          [0, 0],
        ],
      ]),
      ['geometry.coordinates[0][0]'],
    ],
    [
      'a bow tie over the antimeridian',
      drawn([
        [
          [175, 0],
          [-175, 10],
          [-175, 0],
          [175, 10],
          [175, 0],
        ],
      ]),
      ['geometry.coordinates[0][0]'],
    ],
    [
      'a spike',
      drawn([
        [
          [0, 0],
          [10, 0],
          [20, 0],
          [10, 0],
          [10, 10],
          [0, 0],
        ],
      ]),
      ['geometry.coordinates[0][2]'],
    ],
    [
      'a line for a ring',
      drawn([
        [
          [0, 0],
          [5, 5],
          [10, 10],
          [0, 0],
        ],
      ]),
      ['geometry.coordinates[0][2]'],
    ],
    [
      'one point for a ring',
      drawn([
        [
          [5, 5],
          [5, 5],
          [5, 5],
          [5, 5],
        ],
      ]),
      ['geometry.coordinates[0][0]'],
    ],
    [
      'a ring twice round the earth',
      drawn([
        [
          [0, 0],
          [120, 0],
          [-120, 0],
          [0, 1],
          [120, 1],
          [-120, 1],
          [0, 0],
        ],
      ]),
      ['geometry.coordinates[0][6]'],
    ],
    ['no order', { ...drawn([SQUARE]), properties: {} }, ['properties.orderAdded']],
    ['an order of text', drawn([SQUARE], { orderAdded: 'abc' }), ['properties.orderAdded']],
    [
      'wrong indexes',
      drawn([SQUARE], { orderAdded: [0, -1, 1.5, '2', 5, 4] }),
      [1, 2, 3, 4].map((i) => `properties.orderAdded[${i}]`),
    ],
    [
      'a marker with the longitude first',
      drawn([SQUARE], { markerLocation: [113, 52] }),
      ['properties.markerLocation'],
    ],
    ['a marker that is null', drawn([SQUARE], { markerLocation: null }), ['properties.markerLocation']],
    [
      'everything wrong at once',
      drawn(
        [
          [
            [0, 0],
            [1, 0],
            [200, 1],
            [0, 0],
          ],
          [],
        ],
        { orderAdded: null, markerLocation: 5 },
      ),
      ['geometry.coordinates[0][2]', 'geometry.coordinates[1]', 'properties.orderAdded', 'properties.markerLocation'],
    ],
  ]
  for (const [what, bounds, keys] of wrong) {
    it(`with ${what} is refused, and every wrong key is named`, () => {
      const named = keys.map((key) => (key ? `boundsGeoJson.${key}` : 'boundsGeoJson'))
      expect(Object.keys(withBounds(bounds))).to.have.members(named)
    })
  }

  it('names the fields around the bounds too', () => {
    expect(Object.keys(errorsOf({ isEnabled: 'yes', tags: ['a', 5, ''] }))).to.have.members([
      'name',
      'boundsGeoJson',
      'isEnabled',
      'tags[1]',
      'tags[2]',
    ])
    expect(errorsOf({ name: '', boundsGeoJson: circle([0, 0], 1), tags: 'a' })).to.have.all.keys('name', 'tags')
  })

  it('has at most 2000 positions, and the slowest ring to check takes no noticeable time', () => {
    const comb = (teeth: number) => {
      const up = Array.from({ length: teeth }, (_, i): [number, number] => [i / 100, i % 2 === 0 ? 1 : 80])
      return [...up, [teeth / 100, 0], [0, 0], up[0]!]
    }
    expect(Object.keys(withBounds(drawn([comb(1998)])))).to.deep.equal(['boundsGeoJson.geometry.coordinates'])
    const begun = performance.now()
    expect(withBounds(drawn([comb(1997)]))).to.deep.equal({})
    expect(performance.now() - begun).to.be.below(10_000)
  })
})

describe('the body of a change', () => {
  it('may leave everything out, and nothing can be cleared', () => {
    expect(check(updateGeofence, {}, true)).to.equal(undefined)
    const cleared = { name: null, boundsGeoJson: null, isEnabled: null, tags: null }
    expect(check(updateGeofence, cleared, true)).to.have.all.keys('name', 'boundsGeoJson', 'isEnabled', 'tags')
  })

  it('is checked like a new one', () => {
    expect(check(updateGeofence, { boundsGeoJson: polygon([[0, 0]]) }, true)).to.have.all.keys(
      'boundsGeoJson.geometry.coordinates[0]',
      'boundsGeoJson.properties.orderAdded[1]',
      'boundsGeoJson.properties.orderAdded[2]',
    )
  })
})

describe('the position that a device tells', () => {
  const cases: [unknown, unknown, { lat: number; lng: number } | null][] = [
    [52.5, 13.4, { lat: 52.5, lng: 13.4 }],
    ['52.5', ' -13.4 ', { lat: 52.5, lng: -13.4 }],
    ['+1e1', '0', { lat: 10, lng: 0 }],
    [90, -180, { lat: 90, lng: -180 }],
    [90.0001, 0, null],
    [0, 180.0001, null],
    [Number.NaN, 0, null],
    [Infinity, 0, null],
    ['', 0, null],
    ['52,5', 0, null],
    ['0x10', 0, null],
    [null, 0, null],
    [undefined, 0, null],
    [[1], 0, null],
    [true, 0, null],
  ]
  for (const [lat, lng, expected] of cases) {
    it(`${JSON.stringify({ lat, lng })} is ${expected ? 'one' : 'none'}`, () => {
      expect(readPosition({ lat, lng })).to.deep.equal(expected)
    })
  }
})
