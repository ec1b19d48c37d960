import { Flags } from '@oclif/core'
import type { Place } from '../../domain/backups/stores/store.ts'
import type { Config } from '../../platform/config/settings.ts'

/** Flags of an S3-compatible store; each overrides the setting `backup.…` of its name. */
export const s3Flags = {
  endpoint: Flags.string({ helpValue: 'URL', description: 'S3-compatible store; default: Amazon S3' }),
  region: Flags.string({ helpValue: 'NAME', description: 'region of the bucket; default: AWS_REGION' }),
  'path-style': Flags.boolean({ description: 'bucket in the path of the URL, as MinIO wants it' }),
}

export interface S3FlagValues {
  endpoint?: string | undefined
  region?: string | undefined
  'path-style'?: boolean | undefined
}

/** The same as settings, so that they are checked as such. */
export const s3FlagSettings = (flags: S3FlagValues) => ({
  'backup.endpoint': flags.endpoint,
  'backup.region': flags.region,
  'backup.pathStyle': flags['path-style'] === true ? 'true' : undefined,
})

/** Reads FILE, DIR or `s3://bucket/prefix`. Throws `usage`. */
export async function placeOf(text: string, config: Config): Promise<Place> {
  const { readPlace, s3SettingsOf } = await import('../../domain/backups/places.ts')
  return readPlace(text, { s3: s3SettingsOf(config), dataDir: config.dataDir })
}
