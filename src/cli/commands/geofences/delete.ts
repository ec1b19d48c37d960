import { geofenceArgs } from '../../input/args.ts'
import { deleteCommand } from '../../kinds/delete-command.ts'
import { printable } from '../../output/output.ts'

export const GeofencesDelete = deleteCommand({
  summary: 'Delete a geofence',
  examples: ['appsvc geofences delete --app 1 7 --yes'],
  args: geofenceArgs,
  async find({ program, appId, args }) {
    const { idSegment } = await import('../../../platform/values/parse.ts')
    const { id, name } = await program.geofences.get(appId, idSegment(args.id, 'geofence'))
    return {
      what: `geofence ${id} (${printable(name)})`,
      remove: (tx) => tx.geofences.delete(appId, id),
      json: { id, deleted: true },
      done: `Geofence ${id} is deleted.`,
    }
  },
})
