import { rowsIn } from '../../domain/backups/manifest.ts'
import type { StoredBackup, Verification } from '../../domain/backups/verify.ts'
import { answer, boolean, count, list, nullable, number, object, string, time, told, type Words } from '../schema.ts'
import { CREATED } from '../words.ts'

const NAME: Words = ['The name of the backup.', 'appsvc-20261123T100000Z.sqlite']

const verification = answer<Verification>()('BackupVerification', 'A verification that was made of a backup.', {
  at: told(time, 'When the verification ended.', '2026-11-23T10:00:00+0000'),
  seconds: told(number, 'How long the verification took.', 2.5),
  error: told(nullable(string), 'The reason for which it cannot be restored. Null: it can.', null),
})

const storedBackup = answer<StoredBackup>()('StoredBackup', 'A complete backup that the server keeps.', {
  name: told(string, NAME),
  address: told(
    string,
    'The file, or the object of a store, as `appsvc restore` takes it.',
    '/var/backups/appsvc/appsvc-20261123T100000Z.sqlite',
  ),
  taken: told(time, CREATED, '2026-11-23T10:00:00+0000', ({ manifest }) => Date.parse(manifest.takenAt)),
  bytes: told(count, 'The size of the backup.', 1_048_576, ({ manifest }) => manifest.bytes),
  rows: told(count, 'Rows of all tables together.', 40_211, ({ manifest }) => rowsIn(manifest)),
  program: told(string, 'The version that made it.', '0.1.0', ({ manifest }) => manifest.program),
  schema: told(string, 'The newest step of its schema.', '0136_install_days', ({ manifest }) => manifest.schema),
  isOfThisKey: told(boolean, 'False when the master key of this server does not open its secrets.', true),
  isBeingVerified: told(
    boolean,
    'True while the server is asked to verify it.',
    false,
    ({ isWanted }: StoredBackup) => isWanted,
  ),
  verification: told(
    nullable(verification),
    'The last verification. Null: none since it was made.',
    null,
    ({ verification: last }: StoredBackup) => last ?? null,
  ),
})
export const presentStoredBackup = storedBackup.present

export const storedBackups = object('StoredBackups', 'Backups that the server keeps, the newest first.', {
  items: told(list(storedBackup), 'At most 200 of them.', []),
})
export const askedVerification = object('AskedVerification', 'A backup that will be verified next.', {
  name: told(string, NAME),
})
export const askedBackup = object('AskedBackup', 'A backup that will be made at once.', {
  to: told(string, 'Where the backup goes.', '/var/backups/appsvc'),
})
