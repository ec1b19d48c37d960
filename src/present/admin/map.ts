import type { Density } from '../../domain/geofences/density.ts'
import { answerOf, boolean, count, list, nullable, number, object, string } from '../schema.ts'

export function presentDensity({ size, cells, isComplete }: Density) {
  return { size, isComplete, cells }
}

export const density = answerOf<typeof presentDensity>('Density', {
  size: number,
  isComplete: boolean,
  cells: list(object({ south: number, west: number, installs: count }, 'DensityCell')),
})

/** Where the pictures of maps come from: null for nowhere. */
export function presentMap({ tiles, credit }: { tiles: string; credit: string }) {
  return { tiles: tiles === '' ? null : tiles, credit: credit === '' ? null : credit }
}

export const mapSettings = answerOf<typeof presentMap>('MapSettings', {
  tiles: nullable(string),
  credit: nullable(string),
})
