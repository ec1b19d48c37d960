import { densityBox } from '../../domain/geofences/schema.ts'
import { density, mapSettings, presentDensity, presentMap } from '../../present/admin/map.ts'
import { readDensity } from '../calls/long-reads.ts'
import { get, type Route } from '../routing/route.ts'

const ADMIN = {
  area: 'admin',
  needs: 'person',
  right: 'see',
  also: { 404: 'There is no such app, or you have no role in it' },
} as const

/** Routes for what the map of geofences shows besides them. */
export const mapRoutes: readonly Route[] = [
  get('/v1/apps/:appId/map', {
    ...ADMIN,
    summary: 'Read where the pictures of the map come from',
    description:
      'As `console.tiles` and `console.tilesCredit` say. Without them the map asks nobody and shows outlines.',
    returns: mapSettings,
    run: async ({ program }) => {
      const { config } = program.kernel
      return presentMap({ tiles: config['console.tiles'], credit: config['console.tilesCredit'] })
    },
  }),
  get('/v1/apps/:appId/map/density', {
    ...ADMIN,
    summary: 'Count the last positions of installs in the squares of a grid',
    description:
      'The squares are the same for everybody, at least half a kilometre wide, and at most 50 by 50. Those with fewer than five installs ' +
      'are left out, and the others are rounded down to a multiple of five, so that nobody can be found with it.',
    query: densityBox,
    returns: density,
    run: async (call) => presentDensity(await readDensity(call, call.query)),
  }),
]
