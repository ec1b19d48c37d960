import { nothing } from '../../domain/admins/schema.ts'
import { askForBackup } from '../../domain/backups/last-backup.ts'
import { isOwnName } from '../../domain/backups/manifest.ts'
import { placeOfServer } from '../../domain/backups/places.ts'
import { askForVerification, storedBackups as listStored } from '../../domain/backups/verify.ts'
import { LOAD_PERIODS, type LoadPeriod } from '../../domain/load/types.ts'
import { AppError } from '../../platform/errors.ts'
import { oneOf, shape } from '../../platform/values/parse.ts'
import { askedBackup, askedVerification, presentStoredBackup, storedBackups } from '../../present/admin/backups.ts'
import { loadCourse, presentLoadCourse } from '../../present/admin/load.ts'
import type { Program } from '../../program.ts'
import { get, post, type Route } from '../routing/route.ts'

const OPERATE = { area: 'admin', needs: 'person', right: 'operate' } as const
const NO_BACKUPS = { 409: 'The server makes no backups: `backup.to` says where to' }
/** Backups that are listed: each is one small file to read. */
const MOST_BACKUPS = 200

/** Routes for people who keep the server running: its load over time, and its backups. */
export const operatingRoutes: readonly Route[] = [
  get('/v1/load', {
    ...OPERATE,
    summary: 'Read the load of the server over time: calls, pushes, errors, queue, sizes, processor',
    description:
      'Every process that serves the database adds to the same figures, once a minute. Minutes are kept for two days and hours for 31 days. ' +
      'A point covers a minute of `hour`, a quarter of an hour of `day`, two hours of `week` and six hours of `month`.',
    query: shape({ period: oneOf(Object.keys(LOAD_PERIODS) as LoadPeriod[]) }),
    returns: loadCourse,
    run: async ({ tx, query: { period } }) => presentLoadCourse(await tx.load.course(period ?? 'day')),
  }),
  get('/v1/backups', {
    ...OPERATE,
    summary: 'List the backups that the server keeps',
    description:
      'Complete backups at `backup.to`, the newest first, at most 200. `address` is what `appsvc restore` takes. Backups that were made elsewhere are not here.',
    also: NO_BACKUPS,
    returns: storedBackups,
    run: async ({ program }) => {
      const { dataDir } = requireBackups(program)
      const { store } = placeOfServer(program.kernel.config)
      const keyCheck = program.kernel.vault.keyCheck()
      const items = await listStored({ store, dataDir, keyCheck }, MOST_BACKUPS)
      return { items: items.map(presentStoredBackup) }
    },
  }),
  post('/v1/backups', {
    ...OPERATE,
    summary: 'Make the next backup due at once',
    description:
      'Only where the server makes backups by itself (`backup.to`). `GET /admin/v1/health` shows when it is made.',
    takes: 'Nothing',
    sends: {},
    audit: 'backups.ask',
    body: nothing,
    status: 202,
    also: NO_BACKUPS,
    returns: askedBackup,
    run: ({ program }) => {
      const { dataDir, to } = requireBackups(program)
      askForBackup(dataDir, program.kernel.clock.now())
      return Promise.resolve({ to })
    },
  }),
  post('/v1/backups/:backup/verify', {
    ...OPERATE,
    summary: 'Verify that a backup can be restored',
    description:
      'The server copies the backup to its data directory within ten seconds, checks it as `appsvc restore` does, and removes the copy. ' +
      '`GET /admin/v1/backups` shows the result. Only the backup that was asked for last is verified.',
    takes: 'Nothing',
    sends: {},
    audit: 'backups.verify',
    body: nothing,
    status: 202,
    also: { ...NO_BACKUPS, 404: 'There is no such backup' },
    returns: askedVerification,
    transaction: false,
    run: async ({ program, params, note }) => {
      const { dataDir } = requireBackups(program)
      const name = params.backup!
      const { store } = placeOfServer(program.kernel.config)
      if (!isOwnName(name) || !(await store.has(name))) {
        throw new AppError('not_found', `there is no backup ${name}: GET /admin/v1/backups lists them`)
      }
      note({ target: name })
      askForVerification(dataDir, name, program.kernel.clock.now())
      return { name }
    },
  }),
]

/** The settings of the backups that the server makes. Throws `conflict` where it makes none. */
function requireBackups({ kernel: { config, db } }: Program): { dataDir: string; to: string } {
  if (db.kind === 'postgres') {
    throw new AppError('conflict', 'the database is PostgreSQL: back it up with its own tools (docs/operating.md)')
  }
  if (config['backup.to'] === '') {
    throw new AppError(
      'conflict',
      'the server makes no backups: set backup.to to a directory or an S3 address, and start it again',
    )
  }
  return { dataDir: config.dataDir, to: config['backup.to'] }
}
