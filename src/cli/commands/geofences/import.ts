import { Flags } from '@oclif/core'
import type { GeofenceImport } from '../../../domain/geofences/files/import.ts'
import { AppError, ERRORS } from '../../../platform/errors.ts'
import { appArg, textArg } from '../../input/args.ts'
import { readJsonFile } from '../../input/files.ts'
import { appCommand } from '../../kinds/app-command.ts'
import { type Output, printable } from '../../output/output.ts'
import { countOf } from '../../output/plural.ts'

/** Maximum number of refused features that are printed. */
const MAX_SHOWN = 20

export const GeofencesImport = appCommand({
  summary: 'Create geofences of the features of a GeoJSON file',
  description:
    'Points with properties.radius (metres) become circles, polygons become areas; the name is properties.name or title. Features that are ' +
    'there already are left alone. Without --skip-refused nothing is stored when a feature cannot be a geofence. Exits with 65 if one ' +
    'was refused. docs/geofences.md says what is read.',
  examples: [
    'appsvc geofences import --app 1 shops.geojson --dry-run',
    'appsvc geofences import --app 1 shops.geojson --radius 150 --skip-refused',
  ],
  args: { app: appArg, file: textArg({ required: true, description: 'GeoJSON file, or - for standard input' }) },
  flags: {
    radius: Flags.string({ helpValue: 'METRES', description: 'radius of points that have none' }),
    'skip-refused': Flags.boolean({ description: 'leave out the features that cannot be geofences' }),
    'dry-run': Flags.boolean({ description: 'only tell what would become of each feature' }),
  },
  async read({ args, flags, io }) {
    const [{ parseText }, { geofenceImportPreview }, { readCollection }] = await Promise.all([
      import('../../../platform/values/parse.ts'),
      import('../../../domain/geofences/schema.ts'),
      import('../../../domain/geofences/files/collection.ts'),
    ])
    const { radius } = parseText(geofenceImportPreview, flags.radius === undefined ? {} : { radius: flags.radius })
    return readCollection(await readJsonFile(io, args.file, 'FILE'), radius)
  },
  async work({ program, appId, flags, input: read, out, exit }) {
    const { importFeatures, previewImport } = await import('../../../domain/geofences/files/import.ts')
    const preview = await previewImport(appId, read, program.geofences.known)
    const { 'dry-run': isDry, 'skip-refused': skipRefused } = flags
    if (preview.refused > 0) tellRefused(out, preview)
    if (isDry) {
      out.value(preview)
      out.line(`${summaryOf(preview, 'would be')} Nothing is stored.`)
      return preview.refused > 0 ? exit(ERRORS.invalid.exit) : undefined
    }
    if (preview.refused > 0 && !skipRefused) {
      throw new AppError(
        'invalid',
        `nothing is stored: ${countOf(preview.refused, 'feature')} cannot be geofences. Mend the file, or leave them out with --skip-refused`,
      )
    }
    const done = await program.inTransaction(({ geofences: { known, createAll } }) =>
      importFeatures(appId, read, { skipRefused, known, createAll }),
    )
    out.value(done)
    out.line(summaryOf(done, done.created === 1 ? 'was' : 'were'))
    if (done.refused > 0) exit(ERRORS.invalid.exit)
  },
})

function tellRefused(out: Output, { features, refused }: GeofenceImport): void {
  const wrong = features.filter(({ outcome }) => outcome === 'refused')
  for (const { feature, name, problems } of wrong.slice(0, MAX_SHOWN)) {
    out.note(printable(`features[${feature}]${name === null ? '' : ` (${name})`}: ${problems.join('; ')}`))
  }
  if (refused > MAX_SHOWN) out.note(`and ${refused - MAX_SHOWN} more`)
}

const summaryOf = ({ created, existing, refused }: GeofenceImport, verb: string): string =>
  `${countOf(created, 'geofence')} ${verb} created, ${existing} exist already, ${refused} refused.`
