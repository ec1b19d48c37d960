import { chooseApp } from '../../input/app.ts'
import { geofenceArgs } from '../../input/geofence.ts'
import { BaseCommand } from '../../kinds/base.ts'
import { printable } from '../../output/output.ts'

export class GeofencesShow extends BaseCommand {
  static override summary = 'Show a geofence, how often it was entered and how many users are inside'
  static override examples = ['<%= config.bin %> geofences show 1 7', '<%= config.bin %> geofences show 1 7 --json']
  static override args = geofenceArgs

  async run(): Promise<void> {
    const { args, flags } = await this.parse(GeofencesShow)
    const app = await this.open(flags)
    const { id } = await chooseApp(app, args.app)
    const [{ idSegment }, { presentGeofence }, { shortTime }] = await Promise.all([
      import('../../../platform/parse.ts'),
      import('../../../server/present/geofences.ts'),
      import('../../output/present.ts'),
    ])
    const geofence = await app.geofences.get(id, idSegment(args.id, 'geofence'))
    const { boundsGeoJson, createdAt, updatedAt } = geofence
    this.out.value(presentGeofence(geofence))
    this.out.fields({
      id: geofence.id,
      name: geofence.name,
      enabled: geofence.isEnabled ? 'yes' : 'no: nobody enters it and no notification reaches anybody through it',
      tags: geofence.tags.join(', ') || 'none',
      entries: geofence.activationCount,
      'users inside': geofence.activeUsers,
      created: shortTime(createdAt),
      updated: shortTime(updatedAt),
    })
    this.out.line(`bounds  ${printable(JSON.stringify(boundsGeoJson))}`)
  }
}
