import type { Words } from './types.ts'

const TIME = '2026-11-23T10:00:00+0000'

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
  fields: {
    'Health.asOf': ['When this was found out.', TIME],
    'Health.database': ['What the server stores in.', 'sqlite'],
    'Health.disagreements': ['What nodes that are alive disagree about, in sentences.', []],
    'Health.loops': ['When each loop of the workers last ran, in the process that answers.', []],
    'Health.disk': ['The space for the database. Null on PostgreSQL.', null],
    'Health.unfinishedNotifications': ['Notifications under way, counted up to 10,001.', 2],
    'Finding.check': ['The check of `appsvc doctor` that found it.', 'backups'],
    'Finding.group': ['What the check is about.', 'machine'],
    'Finding.level': [
      '`info`: nothing to do. `warning`: look at it soon. `error`: something does not work.',
      'warning',
    ],
    'Finding.sentence': ['What was found.', 'no backup has been made yet'],
    'Finding.remedy': ['What to do. Null where there is nothing to do.', 'set backup.to'],
    'ServerNode.id': ['The node.', 'n_7f2c'],
    'ServerNode.host': ['Name of its machine.', 'box-1'],
    'ServerNode.process': ['Number of its process.', 4711],
    'ServerNode.state': [
      '`stopped`: as it was asked to. `gone`: it was killed, or cannot reach the database.',
      'alive',
    ],
    'ServerNode.roles': ['What it does.', ['http', 'deliver']],
    'ServerNode.version': ['The version of its program.', '0.1.0'],
    'ServerNode.schema': ['The last step of the schema that it knows.', '0044_figures'],
    'ServerNode.key': ['The fingerprint of its master key.', '3f2a91c0'],
    'ServerNode.started': ['When it started.', TIME],
    'ServerNode.seen': ['Its last sign of life.', TIME],
    'WorkerLoop.name': ['The loop.', 'deliver'],
    'WorkerLoop.secondsAgo': ['How long ago it last ran a turn.', 1],
    'ServerLane.appId': ['Number of the app.', 1],
    'ServerLane.appName': ['Name of the app.', 'Bakery'],
    'ServerLane.platform': ['The platform.', 'ios'],
    'ServerLane.heldUntil': ['Nothing is sent before this time. Null: the lane is open.', null],
    'ServerLane.reason': ['Why the lane is held.', null],
    'BackupState.to': ['Where backups go. Empty: the server makes none.', '/var/backups/appsvc'],
    'BackupState.every': ['How often.', '24h'],
    'BackupState.wanted': ['When somebody asked for a backup that has not been made yet.', null],
    'MadeBackup.at': ['When it was made.', TIME],
    'MadeBackup.address': ['Where it is.', '/var/backups/appsvc/appsvc-20261123T100000Z.sqlite'],
    'MadeBackup.bytes': ['Its size.', 1048576],
    'MadeBackup.seconds': ['How long it took.', 1.5],
    'FailedBackup.at': ['When the last attempt failed.', TIME],
    'FailedBackup.error': ['Why.', 'no space left'],
    'DiskState.freeBytes': ['Free space.', 50000000000],
    'DiskState.lowWaterBytes': ['Below this nothing more is taken in.', 500000000],
    'ServerSetting.name': ['The setting.', 'log.level'],
    'ServerSetting.value': ['Its value; `***` for a secret.', 'info'],
    'ServerSetting.isDefault': ['Whether it is the value without any setting.', true],
    'ServerSetting.source': ['Where it comes from. Null: this thread does not know.', 'default'],
    'ServerSetting.why': ['What it is for.', 'lowest level that is logged'],
    'LogLine.level': ['`info`, `warn` or `error`.', 'warn'],
    'LogLine.at': ['When it was written (ISO 8601, UTC, with milliseconds).', '2026-11-23T10:00:00.000Z'],
    'LogLine.message': ['What happened.', 'the backup failed; trying again'],
    'LogLine.fields': ['What it was about.', { thread: 'deliver-1' }],
    'AskedBackup.to': ['Where the backup goes.', '/var/backups/appsvc'],
    '/v1/log.query.level': ['Nothing below this level.', 'warn'],
    '/v1/log.query.text': ['Only lines that contain this, whatever its case.', 'backup'],
    '/v1/log.query.limit': ['How many lines; 200 unless told.', 200],
  },
}
