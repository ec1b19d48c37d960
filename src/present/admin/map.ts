import type { Density } from '../../domain/geofences/density.ts'
import { answer, boolean, count, list, nullable, number, object, string, told } from '../schema.ts'

export const density = answer<Density>()(
  'Density',
  'Last positions of installs in squares.',
  {
    size: told(number, 'Side of a square in degrees.', 0.703125),
    isComplete: told(boolean, 'False when the time was over before all positions were read.', true),
    cells: told(
      list(
        object(
          'DensityCell',
          'A square with at least five installs.',
          {
            south: told(number, 'Latitude of the lower edge.', 52.03125),
            west: told(number, 'Longitude of the left edge.', 13.359375),
            installs: told(count, 'A multiple of five, rounded down.', 40),
          },
          { south: 52.03125, west: 13.359375, installs: 40 },
        ),
      ),
      'The squares that may be shown.',
      [],
    ),
  },
  { size: 0.703125, isComplete: true, cells: [{ south: 52.03125, west: 13.359375, installs: 40 }] },
)
export const presentDensity = density.present

/** Source of the pictures of maps; null when the console draws its own. */
export const mapSettings = answer<{ tiles: string; credit: string }>()(
  'MapSettings',
  'Where the pictures of maps come from.',
  {
    tiles: told(nullable(string), 'Address with `{z}`, `{x}` and `{y}`; null for none.', null, ({ tiles }) =>
      tiles === '' ? null : tiles,
    ),
    credit: told(nullable(string), 'What the map says about their source.', null, ({ credit }) =>
      credit === '' ? null : credit,
    ),
  },
  { tiles: null, credit: null },
)
export const presentMap = mapSettings.present
