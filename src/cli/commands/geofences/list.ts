import { optionalAppArg } from '../../input/args.ts'
import { listCommand } from '../../kinds/list-command.ts'

export const GeofencesList = listCommand({
  summary: 'List the geofences of an app, oldest first',
  examples: ['appsvc geofences list', 'appsvc geofences list --app 1 --limit 1000 --json'],
  args: { app: optionalAppArg },
  things: 'geofences',
  none: 'There are no geofences yet. Create one with appsvc geofences create.',
  head: ['ID', 'NAME', 'SHAPE', 'ENABLED', 'TAGS', 'ENTRIES', 'USERS INSIDE'],
  async page({ program, appId, flags }) {
    const { presentGeofence } = await import('../../../present/api/geofences.ts')
    const { geofences, next } = await program.geofences.list(appId, { after: flags.after, limit: flags.limit })
    const rows = geofences.map((one) => [
      one.id,
      one.name,
      one.boundsGeoJson.geometry.type === 'Point' ? 'circle' : 'polygon',
      one.isEnabled ? 'yes' : 'no',
      one.tags.join(', ') || null,
      one.activationCount,
      one.activeUsers,
    ])
    return { json: { geofences: geofences.map(presentGeofence) }, rows, next }
  },
})
