import { geofenceArgs } from '../../input/args.ts'
import { appCommand } from '../../kinds/app-command.ts'
import { printable } from '../../output/output.ts'
import { shortTime } from '../../output/present.ts'

export const GeofencesShow = appCommand({
  summary: 'Show a geofence, its number of entries and the number of users inside',
  examples: ['appsvc geofences show --app 1 7', 'appsvc geofences show --app 1 7 --json'],
  args: geofenceArgs,
  async work({ program, appId, args, out }) {
    const [{ idSegment }, { presentGeofence }] = await Promise.all([
      import('../../../platform/values/parse.ts'),
      import('../../../present/api/geofences.ts'),
    ])
    const geofence = await program.geofences.get(appId, idSegment(args.id, 'geofence'))
    out.value(presentGeofence(geofence))
    out.fields({
      id: geofence.id,
      name: geofence.name,
      enabled: geofence.isEnabled ? 'yes' : 'no: no entries are recorded, and targeting it reaches no one',
      tags: geofence.tags.join(', ') || 'none',
      entries: geofence.activationCount,
      'users inside': geofence.activeUsers,
      created: shortTime(geofence.createdAt),
      changed: shortTime(geofence.updatedAt),
    })
    out.line(`bounds  ${printable(JSON.stringify(geofence.boundsGeoJson))}`)
  },
})
