import { Flags } from '@oclif/core'
import { chooseApp } from '../../input/app.ts'
import { geofenceArgs } from '../../input/geofence.ts'
import { BaseCommand } from '../../kinds/base.ts'
import { printable } from '../../output/output.ts'

export class GeofencesDelete extends BaseCommand {
  static override summary = 'Delete a geofence'
  static override examples = ['<%= config.bin %> geofences delete 1 7 --yes']
  static override args = geofenceArgs
  static override flags = { yes: Flags.boolean({ char: 'y', description: 'do not ask' }) }

  async run(): Promise<void> {
    const { args, flags } = await this.parse(GeofencesDelete)
    const app = await this.open(flags)
    const { id: appId } = await chooseApp(app, args.app)
    const { idSegment } = await import('../../../platform/parse.ts')
    const { id, name } = await app.geofences.get(appId, idSegment(args.id, 'geofence'))
    await this.out.confirm(`Delete geofence ${id} (${printable(name)})?`, flags.yes)
    await app.inTransaction((tx) => tx.geofences.delete(appId, id))
    this.out.value({ id, deleted: true })
    this.out.line(`Geofence ${id} is deleted.`)
  }
}
