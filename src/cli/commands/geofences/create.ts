import { appArg, jsonFileFlag } from '../../input/args.ts'
import { checked } from '../../input/checked.ts'
import { readJsonFile } from '../../input/files.ts'
import { appCommand } from '../../kinds/app-command.ts'

export const GeofencesCreate = appCommand({
  summary: 'Create a geofence',
  description:
    'The file contains the body of POST {messages_url}/v1/geofences: name, boundsGeoJson (a circle or a polygon), isEnabled, tags. docs/geofences.md describes the shapes.',
  examples: [
    'appsvc geofences create --app 1 --file office.json',
    `echo '{"name": "Office", "boundsGeoJson": {"type": "Feature", "geometry": {"type": "Point", "coordinates": [13.4, 52.5]}, "properties": {"radius": 250}}}' | appsvc geofences create --app 1 --file -`,
  ],
  args: { app: appArg },
  flags: { file: jsonFileFlag },
  async read({ flags, io }) {
    const { createGeofence } = await import('../../../domain/geofences/schema.ts')
    return checked(createGeofence, await readJsonFile(io, flags.file, '--file'))
  },
  async work({ program, appId, input, out }) {
    const { presentGeofence } = await import('../../../present/api/geofences.ts')
    const geofence = await program.inTransaction((tx) => tx.geofences.create(appId, input))
    out.value(presentGeofence(geofence))
    out.fields({ geofence: geofence.id, name: geofence.name })
  },
})
