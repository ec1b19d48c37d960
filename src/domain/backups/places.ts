import { existsSync, realpathSync, statSync } from 'node:fs'
import { basename, dirname, resolve } from 'node:path'
import type { Config } from '../../platform/config/settings.ts'
import { AppError } from '../../platform/errors.ts'
import { localStore } from './stores/local-store.ts'
import { s3Store } from './stores/s3-store.ts'
import type { Place, S3Settings } from './stores/store.ts'

export interface PlaceContext {
  s3: S3Settings
  dataDir: string
  /** The address names a directory or prefix even if nothing is there yet. */
  isDirectory?: boolean
}

/**
 * Reads `FILE`, `DIR` or `s3://bucket/prefix`. A path that ends with `/` or is a directory is a directory, an S3 address that ends with
 * `.sqlite` is a file. Throws `usage`.
 */
export function readPlace(text: string, { s3, dataDir, isDirectory = false }: PlaceContext): Place {
  if (text.startsWith('s3:')) return readS3(text, s3, dataDir)
  const scheme = /^([a-z][a-z0-9+.-]*):\/\//i.exec(text)?.[1]
  if (scheme !== undefined) {
    throw new AppError('usage', `${scheme}:// is not supported: name a file, a directory or s3://bucket/prefix`)
  }
  if (text === '') throw new AppError('usage', 'the place is empty: name a file, a directory or s3://bucket/prefix')
  const path = resolve(text)
  const isDir = isDirectory || text.endsWith('/') || statSync(path, { throwIfNoEntry: false })?.isDirectory() === true
  const dir = isDir ? path : dirname(path)
  if (existsSync(dir) && existsSync(dataDir) && realpathSync(dir) === realpathSync(dataDir)) {
    throw new AppError('usage', `${resolve(text)} is in the data directory: name a place on another disk or machine`)
  }
  return { store: localStore(dir, { make: isDir }), name: isDir ? undefined : basename(path) }
}

/** The characters that every S3-compatible store takes in a key. */
const ADDRESS = /^s3:\/\/([a-z0-9][a-z0-9.-]{1,61}[a-z0-9])(?:\/([\w!.*'()/-]*))?$/

function readS3(text: string, s3: S3Settings, dataDir: string): Place {
  if (/@|\?/.test(text)) {
    throw new AppError(
      'usage',
      'the address must not contain credentials or options: set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or AWS_PROFILE',
    )
  }
  const [, bucket, key = ''] = ADDRESS.exec(text) ?? []
  if (bucket === undefined) {
    throw new AppError(
      'usage',
      `${text} must be s3://bucket/prefix: letters, digits and ! . * ' ( ) - _ / in the prefix`,
    )
  }
  const isFile = key.endsWith('.sqlite')
  const name = isFile ? basename(key) : undefined
  const path = (isFile ? key.slice(0, -basename(key).length) : key).replace(/^\/+|\/+$/g, '')
  const prefix = path === '' ? '' : `${path}/`
  return { store: s3Store({ ...s3, bucket, prefix, staging: dataDir }), name }
}

/** The settings for S3-compatible stores. */
export function s3SettingsOf(config: Config): S3Settings {
  return {
    endpoint: config['backup.endpoint'],
    region: config['backup.region'],
    pathStyle: config['backup.pathStyle'],
  }
}

/** The place of the server's backups. Throws `usage` for an address that makes no sense. */
export function placeOfServer(config: Config): Place {
  const { dataDir } = config
  return readPlace(config['backup.to'], { s3: s3SettingsOf(config), dataDir, isDirectory: true })
}

/** The remedy for PostgreSQL, which appsvc does not back up. */
export const POSTGRES_REMEDY =
  'appsvc backs up SQLite only, and this database is PostgreSQL: use pg_dump or pgBackRest (docs/operating.md#backup-on-postgresql), ' +
  'or copy it to SQLite with appsvc db copy --to DIR'
