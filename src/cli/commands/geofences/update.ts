import { Flags } from '@oclif/core'
import { AppError } from '../../../platform/errors.ts'
import { geofenceArgs } from '../../input/args.ts'
import { checked } from '../../input/checked.ts'
import { readJsonFile } from '../../input/files.ts'
import { appCommand } from '../../kinds/app-command.ts'

export const GeofencesUpdate = appCommand({
  summary: 'Change a geofence; anything not given is kept',
  description:
    'The file contains the body of PUT {messages_url}/v1/geofences/{id}: any of name, boundsGeoJson, isEnabled, tags. Flags win over the file.',
  examples: [
    'appsvc geofences update --app 1 7 --name "Head office" --tag work --tag city',
    'appsvc geofences update --app 1 7 --disable',
    'appsvc geofences update --app 1 7 --file bounds.json',
  ],
  args: geofenceArgs,
  flags: {
    file: Flags.string({ helpValue: 'FILE', description: 'JSON file, or - for standard input' }),
    name: Flags.string({ helpValue: 'NAME', description: 'new name' }),
    tag: Flags.string({
      multiple: true,
      helpValue: 'TAG',
      description: 'new tags instead of those it has; repeatable',
    }),
    'no-tags': Flags.boolean({ exclusive: ['tag'], description: 'remove all tags' }),
    disable: Flags.boolean({ description: 'record no entries, and reach no one through it' }),
    enable: Flags.boolean({ exclusive: ['disable'], description: 'switch it on again' }),
  },
  async read({ flags, io }) {
    const { updateGeofence } = await import('../../../domain/geofences/schema.ts')
    const fromFile = flags.file === undefined ? {} : await readJsonFile(io, flags.file, '--file')
    const fromFlags = {
      ...(flags.name !== undefined && { name: flags.name }),
      ...(flags.tag !== undefined && { tags: flags.tag }),
      ...(flags['no-tags'] && { tags: [] }),
      ...(flags.disable && { isEnabled: false }),
      ...(flags.enable && { isEnabled: true }),
    }
    if (flags.file === undefined && Object.keys(fromFlags).length === 0)
      throw new AppError('usage', 'nothing to change: give a flag, for example --name, or --file')
    // What is no object is reported as it is.
    const given = typeof fromFile === 'object' && !Array.isArray(fromFile) ? { ...fromFile, ...fromFlags } : fromFile
    return checked(updateGeofence, given)
  },
  async work({ program, appId, args, input: change, out }) {
    const [{ idSegment }, { presentGeofence }] = await Promise.all([
      import('../../../platform/values/parse.ts'),
      import('../../../present/api/geofences.ts'),
    ])
    const id = idSegment(args.id, 'geofence')
    const geofence = await program.inTransaction((tx) => tx.geofences.update(appId, id, change))
    out.value(presentGeofence(geofence))
    out.fields({
      geofence: geofence.id,
      name: geofence.name,
      enabled: geofence.isEnabled ? 'yes' : 'no',
      tags: geofence.tags.join(', ') || undefined,
    })
  },
})
