import { Flags } from '@oclif/core'
import { chooseApp } from '../../input/app.ts'
import { readJsonFile } from '../../input/files.ts'
import { BaseCommand, textArg } from '../../kinds/base.ts'

export class GeofencesCreate extends BaseCommand {
  static override summary = 'Make a geofence'
  static override description =
    'The file holds what POST {messages_url}/v1/geofences takes: name, boundsGeoJson (a circle or a polygon), isEnabled, tags. docs/geofences.md explains the shapes.'
  static override examples = [
    '<%= config.bin %> geofences create 1 --file office.json',
    `echo '{"name": "Office", "boundsGeoJson": {"type": "Feature", "geometry": {"type": "Point", "coordinates": [13.4, 52.5]}, "properties": {"radius": 250}}}' | <%= config.bin %> geofences create 1 --file -`,
  ]
  static override args = { app: textArg({ required: true, description: 'id or name of the app' }) }
  static override flags = {
    file: Flags.string({ required: true, helpValue: 'FILE', description: 'JSON file; - for standard input' }),
  }

  async run(): Promise<void> {
    const { args, flags } = await this.parse(GeofencesCreate)
    const [{ createGeofence }, { parseJson }, { presentGeofence }] = await Promise.all([
      import('../../../domain/geofences/schema.ts'),
      import('../../../platform/parse.ts'),
      import('../../../server/present/geofences.ts'),
    ])
    const input = parseJson(createGeofence, await readJsonFile(this.io, flags.file, '--file'))
    const app = await this.open(flags)
    const { id } = await chooseApp(app, args.app)
    const geofence = await app.inTransaction((tx) => tx.geofences.create(id, input))
    this.out.value(presentGeofence(geofence))
    this.out.fields({ geofence: geofence.id, name: geofence.name })
  }
}
