import { Flags } from '@oclif/core'
import type { Place } from '../../domain/backups/store.ts'
import type { Config } from '../../platform/config.ts'

/** Flags of an S3-compatible store; each overrides its setting `backup.s3…`. */
export const s3Flags = {
  's3-endpoint': Flags.string({ helpValue: 'URL', description: 'S3-compatible store; default: Amazon S3' }),
  's3-region': Flags.string({ helpValue: 'NAME', description: 'region of the bucket; default: AWS_REGION' }),
  's3-path-style': Flags.boolean({ description: 'bucket in the path of the URL, as MinIO wants it' }),
}

export interface S3FlagValues {
  's3-endpoint'?: string | undefined
  's3-region'?: string | undefined
  's3-path-style'?: boolean | undefined
}

/** The same as settings, so that they are checked as such. */
export const s3FlagSettings = (flags: S3FlagValues) => ({
  'backup.s3Endpoint': flags['s3-endpoint'],
  'backup.s3Region': flags['s3-region'],
  'backup.s3PathStyle': flags['s3-path-style'] === true ? 'true' : undefined,
})

/** Reads FILE, DIR or `s3://bucket/prefix`. Throws `usage`. */
export async function placeOf(text: string, config: Config): Promise<Place> {
  const { readPlace, s3SettingsOf } = await import('../../domain/backups/places.ts')
  return readPlace(text, { s3: s3SettingsOf(config), dataDir: config.dataDir })
}
