import { chooseApp } from '../../input/app.ts'
import { BaseCommand, textArg } from '../../kinds/base.ts'
import { pageFlags, showPage } from '../../kinds/pages.ts'

export class GeofencesList extends BaseCommand {
  static override summary = 'List the geofences of an app in the order in which they were made'
  static override examples = [
    '<%= config.bin %> geofences list',
    '<%= config.bin %> geofences list 1 --limit 1000 --json',
  ]
  static override args = { app: textArg({ description: 'id or name; not needed while there is only one app' }) }
  static override flags = pageFlags()

  async run(): Promise<void> {
    const { args, flags } = await this.parse(GeofencesList)
    const app = await this.open(flags)
    const { id } = await chooseApp(app, args.app)
    const { presentGeofence } = await import('../../../server/present/geofences.ts')
    const { geofences, next } = await app.geofences.list(id, { after: flags.after, limit: flags.limit })
    this.out.value({ geofences: geofences.map(presentGeofence), next })
    showPage(
      this.out,
      ['ID', 'NAME', 'SHAPE', 'ENABLED', 'TAGS', 'ENTRIES', 'USERS INSIDE'],
      geofences.map((one) => [
        one.id,
        one.name,
        one.boundsGeoJson.geometry.type === 'Point' ? 'circle' : 'polygon',
        one.isEnabled ? 'yes' : 'no',
        one.tags.join(', ') || null,
        one.activationCount,
        one.activeUsers,
      ]),
      {
        after: flags.after,
        next,
        things: 'geofences',
        none: 'There are no geofences yet: appsvc geofences create makes one.',
      },
    )
  }
}
