import { appArg, textArg } from '../../input/args.ts'
import { writeFile } from '../../input/table-files.ts'
import { appCommand } from '../../kinds/app-command.ts'
import { countOf } from '../../output/plural.ts'

const PAGE = 200

export const GeofencesExport = appCommand({
  summary: 'Export all geofences of an app as a GeoJSON FeatureCollection',
  description:
    'The properties of a feature are those of its bounds, with name, tags and isEnabled. geofences import reads the file.',
  examples: [
    'appsvc geofences export --app 1 geofences.geojson',
    'appsvc geofences export --app 1 > geofences.geojson',
  ],
  args: { app: appArg, file: textArg({ default: '-', description: 'output file, or - for standard output' }) },
  async work({ program, appId, args, out, io }) {
    const { featureOf } = await import('../../../domain/geofences/files/collection.ts')
    const file = args.file === '-' ? undefined : await writeFile(io, args.file)
    const write = async (text: string) => {
      if (file) return file.write(text)
      io.stdout.write(text)
      await out.drained()
    }
    let exported = 0
    await write('{"type":"FeatureCollection","features":[')
    for (let after: number | undefined = 0; after !== undefined && !out.closed(); ) {
      const { geofences, next } = await program.geofences.list(appId, { after, limit: PAGE })
      const texts = geofences.map((geofence) => JSON.stringify(featureOf(geofence)))
      if (texts.length > 0) await write(`${exported > 0 ? ',' : ''}\n${texts.join(',\n')}`)
      exported += texts.length
      after = next ?? undefined
    }
    await write('\n]}\n')
    if (!file) return out.note(countOf(exported, 'geofence'))
    await file.end()
    out.value({ exported, file: args.file })
    out.line(`${countOf(exported, 'geofence')} ${exported === 1 ? 'was' : 'were'} written to ${args.file}.`)
  },
})
