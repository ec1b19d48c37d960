import { Flags } from '@oclif/core'
import { chooseApp } from '../../app-ref.ts'
import { BaseCommand, textArg } from '../../base.ts'

export class GeofencesList extends BaseCommand {
  static override summary = 'List the geofences of an app in the order in which they were made'
  static override examples = [
    '<%= config.bin %> geofences list',
    '<%= config.bin %> geofences list 1 --limit 1000 --json',
  ]
  static override args = { app: textArg({ description: 'id or name; not needed while there is only one app' }) }
  static override flags = {
    after: Flags.integer({ min: 1, helpValue: 'NEXT', description: 'go on where the page before ended (its next)' }),
    limit: Flags.integer({ default: 50, min: 1, max: 1000, helpValue: 'N', description: 'how many' }),
  }

  async run(): Promise<void> {
    const { args, flags } = await this.parse(GeofencesList)
    const app = await this.open(flags)
    const { id } = await chooseApp(app, args.app)
    const { presentGeofence } = await import('../../../server/present/geofences.ts')
    const { geofences, next } = await app.geofences.list(id, { after: flags.after, limit: flags.limit })
    this.out.value({ geofences: geofences.map(presentGeofence), next })
    this.out.table(
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
      flags.after === undefined
        ? 'There are no geofences yet: appsvc geofences create makes one.'
        : 'There are no more geofences.',
    )
    if (next !== null) this.out.note(`there are more: --after ${next}`)
  }
}
