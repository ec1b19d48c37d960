import { expect } from 'chai'
import { distanceMetres, EARTH_RADIUS_M } from '../../../../src/domain/geofences/shape/distance.ts'
import { boxOf, contains, shapeOf } from '../../../../src/domain/geofences/shape/shape.ts'
import type { Box, LngLat, Position } from '../../../../src/domain/geofences/types.ts'
import { circle, polygon } from '../../../support/geofences.ts'

const at = (lat: number, lng: number): Position => ({ lat, lng })

describe('the distance', () => {
  const quarter = (Math.PI / 2) * EARTH_RADIUS_M
  const cases: [string, Position, Position, number, number][] = [
    ['to itself', at(50, 8), at(50, 8), 0, 0],
    ['from the equator to a pole', at(0, 17), at(90, -120), quarter, 0.001],
    ['to the other side of the earth', at(10, 20), at(-10, -160), 2 * quarter, 0.5],
    ['over the antimeridian', at(0, 179.5), at(0, -179.5), quarter / 90, 0.001],
    ['between two names of a pole', at(90, 0), at(90, 123), 0, 0.001],
    ['of a step of a centimetre', at(52, 13), at(52 + 1e-7, 13), 0.01112, 0.0001],
    // Great-circle distances on the sphere of the mean radius.
    ['from Berlin to Paris', at(52.52, 13.405), at(48.8566, 2.3522), 877_464, 100],
    ['from London to New York', at(51.5074, -0.1278), at(40.7128, -74.006), 5_570_230, 200],
  ]
  for (const [what, a, b, metres, within] of cases) {
    it(`${what} is ${Math.round(metres)} m, both ways`, () => {
      expect(distanceMetres(a, b)).to.be.closeTo(metres, within)
      expect(distanceMetres(b, a)).to.be.closeTo(metres, within)
    })
  }
})

describe('a circle', () => {
  const cases: [string, LngLat, number, [Position, boolean][]][] = [
    [
      'holds its centre and its rim',
      [13.4, 52.5],
      100,
      [
        [at(52.5, 13.4), true],
        [at(52.5008, 13.4), true],
        [at(52.50089, 13.4), true],
        [at(52.5009, 13.4), false],
        [at(52.5, 13.40147), true],
        [at(52.5, 13.40149), false],
      ],
    ],
    [
      'may be tiny',
      [0, 0],
      0.01,
      [
        [at(0, 0), true],
        [at(0, 8e-8), true],
        [at(0, 1e-7), false],
      ],
    ],
    [
      'may lie on the antimeridian',
      [179.999, 10],
      1000,
      [
        [at(10, -179.995), true],
        [at(10, 180), true],
        [at(10, -180), true],
        [at(10, -179.98), false],
        [at(10, 0), false],
      ],
    ],
    [
      'may hold a pole, and everything round it',
      [30, 89.9],
      50_000,
      [
        [at(90, 0), true],
        [at(90, 180), true],
        [at(89.8, -150), true],
        [at(89.6, -150), false],
        [at(89.5, 30), true],
      ],
    ],
    [
      'may reach over the south pole',
      [-70, -89],
      200_000,
      [
        [at(-89.5, 110), true],
        [at(-89, 110), false],
        [at(-90, 5), true],
      ],
    ],
    [
      'may be half of the earth',
      [0, 0],
      10_000_000,
      [
        [at(0, 89), true],
        [at(0, 91), false],
        [at(89, 0), true],
        [at(0, 180), false],
      ],
    ],
  ]
  for (const [what, center, radius, positions] of cases) {
    it(what, () => {
      for (const [position, inside] of positions) expectInside(circle(center, radius), position, inside)
    })
  }
})

const SQUARE: LngLat[] = [
  [0, 0],
  [10, 0],
  [10, 10],
  [0, 10],
  [0, 0],
]
const HOLE: LngLat[] = [
  [4, 4],
  [6, 4],
  [6, 6],
  [4, 6],
  [4, 4],
]

describe('a polygon', () => {
  const cases: [string, LngLat[][], [Position, boolean][]][] = [
    [
      'holds what is inside, its edges and its corners',
      [SQUARE],
      [
        [at(5, 5), true],
        [at(0, 0), true],
        [at(10, 10), true],
        [at(0, 5), true],
        [at(5, 0), true],
        [at(5, 10), true],
        [at(10, 5), true],
        [at(-1e-6, 5), false],
        [at(5, 10.000001), false],
        [at(5, -170), false],
        [at(11, 0), false],
      ],
    ],
    [
      'is the same drawn the other way round',
      [SQUARE.toReversed()],
      [
        [at(5, 5), true],
        [at(11, 5), false],
        [at(-1, 5), false],
      ],
    ],
    [
      'holds its slanted edge',
      [
        [
          [0, 0],
          [10, 0],
          [0, 7],
          [0, 0],
        ],
      ],
      [
        [at(3.5, 5), true],
        [at(3.4999, 5), true],
        [at(3.5001, 5), false],
        [at(2.1, 7), true],
        [at(7, 0), true],
      ],
    ],
    [
      'has holes, whose edges belong to it',
      [SQUARE, HOLE],
      [
        [at(5, 5), false],
        [at(4, 5), true],
        [at(5, 4), true],
        [at(4, 4), true],
        [at(3.9, 5), true],
        [at(5.999, 5.999), false],
      ],
    ],
    [
      'passes meridians through its corners',
      [
        [
          [0, 0],
          [5, 5],
          [10, 0],
          [5, 10],
          [0, 0],
        ],
      ],
      [
        [at(4, 5), false],
        [at(5, 5), true],
        [at(7, 5), true],
        [at(10, 5), true],
        [at(11, 5), false],
        [at(-1, 0), false],
        [at(-1, 10), false],
      ],
    ],
    [
      'crosses the antimeridian',
      [
        [
          [170, -10],
          [-170, -10],
          [-170, 10],
          [170, 10],
          [170, -10],
        ],
      ],
      [
        [at(0, 175), true],
        [at(0, -175), true],
        [at(0, 180), true],
        [at(0, -180), true],
        [at(0, 170), true],
        [at(0, -170), true],
        [at(0, 169.9), false],
        [at(0, -169.9), false],
        [at(0, 0), false],
      ],
    ],
    [
      'crosses it with a hole there',
      [
        [
          [170, -10],
          [-170, -10],
          [-170, 10],
          [170, 10],
          [170, -10],
        ],
        [
          [-179, -1],
          [179, -1],
          [179, 1],
          [-179, 1],
          [-179, -1],
        ],
      ],
      [
        [at(0, 180), false],
        [at(0, -179.5), false],
        [at(0, 178), true],
        [at(0, -178), true],
        [at(0, 179), true],
      ],
    ],
    [
      'touches the antimeridian from the west',
      [
        [
          [170, 0],
          [180, 0],
          [180, 10],
          [170, 10],
          [170, 0],
        ],
      ],
      [
        [at(5, 180), true],
        [at(5, -180), true],
        [at(5, 179), true],
        [at(5, -179), false],
      ],
    ],
    [
      'touches it from the east, written with -180',
      [
        [
          [-180, 0],
          [-170, 0],
          [-170, 10],
          [-180, 10],
          [-180, 0],
        ],
      ],
      [
        [at(5, 180), true],
        [at(5, -180), true],
        [at(5, -175), true],
        [at(5, 179), false],
      ],
    ],
    [
      'says both names of the antimeridian',
      [
        [
          [170, 0],
          [180, 0],
          [-180, 10],
          [170, 10],
          [170, 0],
        ],
      ],
      [
        [at(5, 175), true],
        [at(5, 180), true],
        [at(5, -175), false],
        [at(5, 0), false],
      ],
    ],
    [
      'goes round the north pole and holds it',
      [
        [
          [0, 80],
          [90, 80],
          [180, 80],
          [-90, 80],
          [0, 80],
        ],
      ],
      [
        [at(90, 0), true],
        [at(90, 77), true],
        [at(85, 45), true],
        [at(80, 45), true],
        [at(79, 45), false],
        [at(85, 0), true],
        [at(85, 180), true],
        [at(-90, 0), false],
        [at(0, 0), false],
        [at(81, -180), true],
      ],
    ],
    [
      'goes round it westwards, which is the same',
      [
        [
          [0, 80],
          [-90, 80],
          [180, 80],
          [90, 80],
          [0, 80],
        ],
      ],
      [
        [at(90, 0), true],
        [at(85, 45), true],
        [at(79, 45), false],
        [at(-85, 45), false],
      ],
    ],
    [
      'goes round the south pole',
      [
        [
          [-170, -60],
          [-50, -70],
          [70, -60],
          [-170, -60],
        ],
      ],
      [
        [at(-90, 0), true],
        [at(-80, 100), true],
        [at(-50, 100), false],
        [at(90, 0), false],
        [at(-71, -50), true],
        [at(-69, -50), false],
      ],
    ],
    [
      'round a pole leaves out a hole at the pole',
      [
        [
          [0, 70],
          [90, 70],
          [180, 70],
          [-90, 70],
          [0, 70],
        ],
        [
          [10, 80],
          [130, 80],
          [-110, 80],
          [10, 80],
        ],
      ],
      [
        [at(90, 0), false],
        [at(85, 0), false],
        [at(75, 0), true],
        [at(80, 50), true],
      ],
    ],
    [
      'is a band round the earth, written from -180 to 180',
      [
        [
          [-180, 60],
          [180, 60],
          [180, 70],
          [-180, 70],
          [-180, 60],
        ],
      ],
      [
        [at(65, 0), true],
        [at(65, 180), true],
        [at(65, -180), true],
        [at(60, 12), true],
        [at(59, 0), false],
        [at(71, 0), false],
        [at(90, 0), false],
      ],
    ],
    [
      'is the whole arctic, written from -180 to 180',
      [
        [
          [-180, 60],
          [0, 60],
          [180, 60],
          [180, 90],
          [-180, 90],
          [-180, 60],
        ],
      ],
      [
        [at(65, 0), true],
        [at(90, 0), true],
        [at(90, 180), true],
        [at(59, 0), false],
        [at(65, -180), true],
      ],
    ],
    [
      'is the whole world',
      [
        [
          [-180, -90],
          [180, -90],
          [180, 90],
          [-180, 90],
          [-180, -90],
        ],
      ],
      [
        [at(0, 0), true],
        [at(90, 12), true],
        [at(-90, 12), true],
        [at(-45, 180), true],
        [at(45, -180), true],
      ],
    ],
    [
      'with a corner at the pole touches it',
      [
        [
          [0, 80],
          [30, 80],
          [0, 90],
          [0, 80],
        ],
      ],
      [
        [at(90, 0), true],
        [at(90, 200 - 360), true],
        [at(85, 5), true],
        [at(85, 20), false],
      ],
    ],
    [
      'twists past its own beginning without going round',
      [
        [
          [0, 0],
          [150, 0],
          [-60, 0],
          [-60, 10],
          [150, 10],
          [0, 10],
          [0, 0],
        ],
      ],
      [
        [at(5, 75), true],
        [at(5, 200 - 360), true],
        [at(5, -30), false],
      ],
    ],
  ]
  for (const [what, rings, positions] of cases) {
    it(what, () => {
      for (const [position, inside] of positions) expectInside(polygon(...rings), position, inside)
    })
  }
})

/** The exact answer, and that the box does not hide it. */
function expectInside(bounds: Parameters<typeof shapeOf>[0], position: Position, inside: boolean): void {
  const shape = shapeOf(bounds)
  expect(contains(shape, position), `${position.lat}, ${position.lng}`).to.equal(inside)
  if (inside) expect(isInBox(boxOf(shape), position), `box of ${position.lat}, ${position.lng}`).to.equal(true)
}

function isInBox({ west, south, east, north }: Box, { lat, lng }: Position): boolean {
  const turns = [lng === 180 ? -180 : lng, lng === 180 ? 180 : lng + 360]
  return lat >= south && lat <= north && turns.some((x) => x >= west && x <= east)
}

describe('the box of a fence', () => {
  const boxes: [string, Parameters<typeof shapeOf>[0], Box][] = [
    ['of a square', polygon(SQUARE), { west: 0, south: 0, east: 10, north: 10 }],
    [
      'over the antimeridian goes on past 180',
      polygon([
        [170, 0],
        [-170, 0],
        [-170, 1],
        [170, 0],
      ]),
      { west: 170, south: 0, east: 190, north: 1 },
    ],
    ['of a circle at the equator', circle([0, 0], 111_195), { west: -1, south: -1, east: 1, north: 1 }],
    [
      'of a circle with a pole has every longitude',
      circle([0, 89.5], 111_195),
      { west: -180, south: 88.5, east: 180, north: 90 },
    ],
  ]
  for (const [what, bounds, { west, south, east, north }] of boxes) {
    it(what, () => {
      const found = boxOf(shapeOf(bounds))
      expect(found.west).to.be.closeTo(west, 1e-4)
      expect(found.south).to.be.closeTo(south, 1e-4)
      expect(found.east).to.be.closeTo(east, 1e-4)
      expect(found.north).to.be.closeTo(north, 1e-4)
    })
  }

  it('of a circle far north is wider than the radius at its own latitude: it holds the whole rim', () => {
    const center = at(80, 20)
    const radius = 500_000
    const box = boxOf(shapeOf(circle([20, 80], radius)))
    for (let bearing = 0; bearing < 360; bearing += 1)
      expect(isInBox(box, onRim(center, radius * 0.999999, bearing))).to.equal(true)
    expect(box.east - 20).to.be.greaterThan(26.5)
  })
})

/** The point that lies so far away in a direction. */
function onRim({ lat, lng }: Position, metres: number, bearing: number): Position {
  const rad = Math.PI / 180
  const angle = metres / EARTH_RADIUS_M
  const sin = Math.sin(lat * rad) * Math.cos(angle) + Math.cos(lat * rad) * Math.sin(angle) * Math.cos(bearing * rad)
  const turn = Math.atan2(
    Math.sin(bearing * rad) * Math.sin(angle) * Math.cos(lat * rad),
    Math.cos(angle) - Math.sin(lat * rad) * sin,
  )
  return { lat: Math.asin(sin) / rad, lng: lng + turn / rad }
}
