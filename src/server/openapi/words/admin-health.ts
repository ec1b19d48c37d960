import type { Words } from './types.ts'

/** The admin interface: the health of the server, its settings, its log. */
export const ADMIN_HEALTH: Words = {
  operations: {
    'get /admin/v1/health': {
      description:
        'Findings are those of the checks of `appsvc doctor` that read little and connect to nobody. At most 1,000 lanes are shown.',
    },
    'get /admin/v1/settings': {
      description: 'All settings, in the order of `appsvc config show`. Secrets are `***`.',
    },
    'get /admin/v1/log': {
      description:
        'The newest thousand lines of all threads of the process that answers, from the level `info` on. Older lines, and those of other nodes, are where the log goes.',
    },
    'post /admin/v1/backups': {
      description:
        'Only where the server makes backups by itself (`backup.to`). `GET /admin/v1/health` shows when it is made.',
      takes: 'Nothing',
      sends: {},
    },
  },
  schemas: {
    LogFields: ['What a line of the log was about.'],
  },
  parameters: {
    '/v1/log.query.level': ['Nothing below this level.', 'warn'],
    '/v1/log.query.text': ['Only lines that contain this, whatever its case.', 'backup'],
    '/v1/log.query.limit': ['How many lines; 200 unless told.', 200],
  },
}
