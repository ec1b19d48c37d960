import { expect } from 'chai'
import { densityReader } from '../../../src/domain/geofences/density.ts'
import type { Box } from '../../../src/domain/geofences/types.ts'

type Placed = { row: number; lat: number; lng: number }

describe('the density of installs', () => {
  /** A reader of these positions, by latitude and row as the database has them. */
  function readerOf(positions: readonly [lat: number, lng: number, count: number][]) {
    const placed: Placed[] = positions
      .flatMap(([lat, lng, count]) => Array.from({ length: count }, () => ({ lat, lng })))
      .map((one, i) => ({ ...one, row: i + 1 }))
      .toSorted((a, b) => a.lat - b.lat || a.row - b.row)
    let statements = 0
    const presence = {
      async placed(_app: number, after: { lat: number; row: number }, north: number, limit: number) {
        statements++
        const behind = placed.filter(({ lat, row }) => lat > after.lat || (lat === after.lat && row > after.row))
        return behind.filter(({ lat }) => lat <= north).slice(0, limit)
      },
    }
    const reader = densityReader(presence)
    return { density: reader.density, statements: () => statements }
  }
  const box = (south: number, west: number, north: number, east: number): Box => ({ south, west, north, east })
  const WORLD = box(-90, -180, 90, 180)
  const cellsOf = async (positions: [number, number, number][], of: Box) =>
    (await readerOf(positions).density(1, of)).cells.map(({ south, west, installs }) => [south, west, installs])

  it('is counted in the smallest squares of which 48 cover the longer side, half a kilometre at least', async () => {
    const sizeOf = async (of: Box) => (await readerOf([]).density(1, of)).size
    expect(await sizeOf(WORLD)).to.equal(11.25)
    expect(await sizeOf(box(0, 0, 48 * 5.625, 1))).to.equal(5.625)
    expect(await sizeOf(box(0, 0, 48 * 5.625 + 0.01, 1))).to.equal(11.25)
    expect(await sizeOf(box(0, 0, 1, 48 * 5.625 + 0.01))).to.equal(11.25)
    expect(await sizeOf(box(0, 0, 0.001, 0.001))).to.equal(22.5 / 2 ** 12)
    expect(await sizeOf(box(0, 0, 1, 48 * 22.5))).to.equal(22.5)
  })

  it('names no square with fewer than five, and rounds the others down to fives', async () => {
    const cells = await cellsOf(
      [
        [1, 1, 4],
        [1, 20, 5],
        [20, 1, 9],
        [20, 20, 11],
      ],
      WORLD,
    )
    expect(cells).to.deep.equal([
      [0, 11.25, 5],
      [11.25, 0, 5],
      [11.25, 11.25, 10],
    ])
  })

  it('is ordered from south to north, then from west to east, and has each position in one square', async () => {
    const cells = await cellsOf(
      [
        [30, -30, 5],
        [-30, 30, 5],
        [-30, -30, 5],
        // On the edge between four squares.
        [0, 0, 5],
      ],
      WORLD,
    )
    expect(cells).to.deep.equal([
      [-33.75, -33.75, 5],
      [-33.75, 22.5, 5],
      [0, 0, 5],
      [22.5, -33.75, 5],
    ])
  })

  it('leaves out what is beside the squares of the box, and knows the pole', async () => {
    const around = box(1, 1, 10, 10)
    const size = 22.5 / 2 ** 6
    const inside: [number, number, number] = [5, 5, 5]
    const edge = Math.ceil(10 / size) * size
    const cells = await cellsOf([inside, [edge, 5, 5], [5, edge, 5], [0, 5, 5], [5, 0, 5]], around)
    expect(cells).to.deep.equal([[Math.floor(5 / size) * size, Math.floor(5 / size) * size, 5]])
    expect(await cellsOf([[90, 3, 5]], WORLD)).to.deep.equal([[90, 0, 5]])
  })

  it('goes on across the antimeridian', async () => {
    const pacific = box(0, 170, 10, 190)
    const cells = await cellsOf(
      [
        [5, 175, 5],
        [5, -175, 5],
        [5, 165, 5],
        [5, -165, 5],
      ],
      pacific,
    )
    const size = 22.5 / 2 ** 5
    const down = (degrees: number) => Math.floor(degrees / size) * size
    expect(cells).to.deep.equal([
      [down(5), down(-175), 5],
      [down(5), down(175), 5],
    ])
  })

  it('is read in pages of 5000, and is what was read when the time is over', async () => {
    const many = readerOf([
      [1, 1, 5000],
      [50, 1, 5001],
    ])
    expect(await many.density(1, WORLD)).to.deep.include({
      cells: [
        { south: 0, west: 0, installs: 5000 },
        { south: 45, west: 0, installs: 5000 },
      ],
      isComplete: true,
    })
    expect(many.statements()).to.equal(3)
    let turns = 1
    const pace = { turn: async () => turns-- > 0, monotonic: () => 0, seconds: 1 }
    expect(await many.density(1, WORLD, pace)).to.deep.include({
      cells: [{ south: 0, west: 0, installs: 5000 }],
      isComplete: false,
    })
  })
})
