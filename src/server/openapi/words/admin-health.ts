import type { Words } from './types.ts'

/** The admin interface: the health of the server, its settings, its log. */
export const ADMIN_HEALTH: Words = {
  schemas: {
    LogFields: ['What a line of the log was about.'],
  },
  parameters: {
    '/v1/log.query.level': ['Nothing below this level.', 'warn'],
    '/v1/log.query.text': ['Only lines that contain this, whatever its case.', 'backup'],
    '/v1/load.query.period': ['How far to look back; `day` unless told.', 'day'],
    '/v1/backups/:backup/verify.path.backup': ['The name of the backup.', 'appsvc-20261123T100000Z.sqlite'],
    '/v1/log.query.limit': ['How many lines; 200 unless told.', 200],
  },
}
