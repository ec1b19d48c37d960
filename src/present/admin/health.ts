import type { CheckFinding, Examination } from '../../doctor/examine.ts'
import type { Round } from '../../doctor/rounds.ts'
import type { LastBackup } from '../../domain/backups/last-backup.ts'
import type { Lane } from '../../domain/gateways/types.ts'
import type { DiskSpace } from '../../platform/files/disk-space.ts'
import type { JudgedNode } from '../../platform/instance/nodes.ts'
import {
  answer,
  answerOf,
  boolean,
  count,
  integer,
  list,
  nullable,
  number,
  object,
  oneOf,
  string,
  time,
  told,
} from '../schema.ts'
import { APP_NAME, APP_NUMBER, CHECK, CREATED, FINDINGS, PLATFORM_TYPE, WHY } from '../words.ts'

/** Everything on the page about the health of the server. */
interface Health {
  /** ms */
  now: number
  database: string
  round: Round
  nodes: readonly JudgedNode[]
  disagreements: readonly string[]
  loops: readonly { name: string; secondsAgo: number }[]
  lanes: readonly (Lane & { appName: string })[]
  backup: LastBackup & { to: string; every: string }
  space: ReturnType<DiskSpace['look']>
  /** Notifications that are under way. */
  unfinished: number
}

type ShownLane = Omit<Health['lanes'][number], 'heldUntil'> & { heldUntil: number | null }

export const health = answer<Health>()('ServerHealth', 'How the server is.', {
  asOf: told(time, 'When this was found out.', '2026-11-23T10:00:00+0000', ({ now }: Health) => now),
  database: told(oneOf(['sqlite', 'postgres']), 'What the server stores in.', 'sqlite'),
  errors: told(
    count,
    'How many findings are errors: `appsvc doctor` exits with 78 if there is one.',
    0,
    ({ round }) => round.errors,
  ),
  warnings: told(count, 'How many findings are warnings.', 1, ({ round }) => round.warnings),
  findings: told(
    list(
      answer<CheckFinding>()(
        'Finding',
        'What a check found: one sentence, and a remedy where there is something to do.',
        {
          check: told(string, CHECK),
          group: told(oneOf(['machine', 'database', 'sending', 'connections']), 'What the check is about.', 'machine'),
          level: told(
            oneOf(['ok', 'info', 'warning', 'error']),
            '`info`: nothing to do. `warning`: look at it soon. `error`: something does not work.',
            'warning',
          ),
          sentence: told(string, FINDINGS, 'no backup has been made yet', ({ what }) => what),
          remedy: told(
            nullable(string),
            'What to do. Null where there is nothing to do.',
            'set backup.to',
            ({ remedy }) => remedy ?? null,
          ),
        },
      ),
    ),
    'What the checks found, also what is well.',
    [],
    ({ round }: Health) => round.findings,
  ),
  leftOut: told(
    list(
      answer<Examination['leftOut'][number]>()('LeftOutCheck', 'A check that was not made.', {
        check: told(string, CHECK),
        why: told(string, WHY, 'the database cannot be used'),
      }),
    ),
    'Checks that were not made.',
    [],
    ({ round }: Health) => round.leftOut,
  ),
  underWay: told(
    list(string),
    'Checks that have not answered yet: with their findings the counts may grow. Ask again.',
    [],
    ({ round }: Health) => round.underWay,
  ),
  nodes: told(
    list(
      answer<JudgedNode>()('ServerNode', 'A process that serves this database.', {
        id: told(string, 'The node.', 'n_7f2c'),
        host: told(string, 'Name of its machine.', 'box-1'),
        process: told(integer, 'Number of its process.', 4711, ({ pid }) => pid),
        state: told(
          oneOf(['alive', 'stopped', 'gone']),
          '`stopped`: as it was asked to. `gone`: it was killed, or cannot reach the database.',
          'alive',
        ),
        roles: told(list(string), 'What it does.', ['http', 'deliver']),
        version: told(string, 'The version of its program.', '0.1.0'),
        schema: told(
          string,
          'The last step of the schema that it knows.',
          '0123_figures',
          ({ schemaStep }) => schemaStep,
        ),
        key: told(string, 'The fingerprint of its master key.', '3f2a91c0', ({ keyPrint }) => keyPrint),
        started: told(time, 'When it started.', '2026-11-23T10:00:00+0000', ({ startedAt }) => startedAt),
        seen: told(time, 'Its last sign of life.', '2026-11-23T10:00:00+0000', ({ seenAt }) => seenAt),
      }),
    ),
    'The processes that serve this database.',
    [],
  ),
  disagreements: told(list(string), 'What nodes that are alive disagree about, in sentences.', []),
  loops: told(
    list(
      answer<Health['loops'][number]>()('WorkerLoop', 'A loop of the workers.', {
        name: told(string, 'The loop.', 'deliver'),
        secondsAgo: told(number, 'How long ago it last ran a turn.', 1),
      }),
    ),
    'When each loop of the workers last ran, in the process that answers.',
    [],
  ),
  lanes: told(
    list(
      answer<ShownLane>()('ServerLane', 'The way of the pushes of an app to a gateway.', {
        appId: told(integer, APP_NUMBER),
        appName: told(string, APP_NAME),
        platform: told(string, PLATFORM_TYPE, 'ios'),
        heldUntil: told(nullable(time), 'Nothing is sent before this time. Null: the lane is open.', null),
        reason: told(nullable(string), 'Why the lane is held.', null, ({ holdReason }) => holdReason),
      }),
    ),
    'The way to each gateway of each app.',
    [],
    ({ now, lanes }: Health) =>
      lanes.map((lane) => (lane.heldUntil > now ? lane : { ...lane, heldUntil: null, holdReason: null })),
  ),
  backup: told(
    answer<Health['backup']>()('BackupState', 'What came of the backups that the server makes.', {
      to: told(string, 'Where backups go. Empty: the server makes none.', '/var/backups/appsvc'),
      every: told(string, 'How often.', '24h'),
      last: told(
        nullable(
          answer<NonNullable<LastBackup['good']>>()('MadeBackup', 'A backup that is complete and was checked.', {
            at: told(time, CREATED),
            address: told(
              string,
              'The file, or the object of a store, that holds it.',
              '/var/backups/appsvc/appsvc-20261123T100000Z.sqlite',
            ),
            bytes: told(count, 'Its size.', 1_048_576),
            seconds: told(number, 'How long it took.', 1.5),
          }),
        ),
        'The newest backup. Null: none yet.',
        null,
        ({ good }) => good ?? null,
      ),
      failure: told(
        nullable(
          answer<NonNullable<LastBackup['failure']>>()('FailedBackup', 'A backup that failed.', {
            at: told(time, 'When the last attempt failed.', '2026-11-23T10:00:00+0000'),
            error: told(string, WHY, 'no space left'),
          }),
        ),
        'The last attempt, where it failed.',
        null,
        ({ failure }) => failure ?? null,
      ),
      wanted: told(
        nullable(time),
        'When somebody asked for a backup that has not been made yet.',
        null,
        ({ wanted }) => wanted ?? null,
      ),
    }),
    'Backups that the server makes by itself.',
  ),
  disk: told(
    nullable(
      answer<{ free: number; mark: number }>()('DiskState', 'The space for the database.', {
        freeBytes: told(count, 'Free space.', 50_000_000_000, ({ free }) => free),
        lowWaterBytes: told(count, 'Below this nothing more is taken in.', 500_000_000, ({ mark }) => mark),
      }),
    ),
    'The space for the database. Null on PostgreSQL.',
    null,
    ({ space }: Health) => space ?? null,
  ),
  unfinishedNotifications: told(
    count,
    'Notifications under way, counted up to 10,001.',
    2,
    ({ unfinished }: Health) => unfinished,
  ),
})
export const presentHealth = health.present

const setting = answer<{
  name: string
  value: string | number | boolean
  isDefault: boolean
  source: string | null
  why: string
}>()('ServerSetting', 'A setting and where it comes from.', {
  name: told(string, 'The setting.', 'log.level'),
  value: told({ type: ['string', 'number', 'boolean'] }, 'Its value; `***` for a secret.', 'info'),
  isDefault: told(boolean, 'Whether it is the value without any setting.', true),
  source: told(
    nullable(oneOf(['flag', 'environment', 'file', 'default'])),
    'Where it comes from. Null: this thread does not know.',
    'default',
  ),
  why: told(string, 'What it is for.', 'lowest level that is logged'),
})
export const presentSetting = setting.present
export const serverSettings = object('ServerSettings', 'All settings.', {
  items: told(list(setting), 'The settings.', []),
})

/** A line of the log: `line` is the JSON of an entry. */
export function presentLogLine(line: string) {
  const { level, time: at, msg, ...fields } = JSON.parse(line) as Record<string, unknown>
  return { level: String(level), at: String(at), message: typeof msg === 'string' ? msg : '', fields }
}

const logLine = answerOf<typeof presentLogLine>('LogLine', 'A line of the log.', {
  level: told(string, '`info`, `warn` or `error`.', 'warn'),
  at: told(string, 'When it was written (ISO 8601, UTC, with milliseconds).', '2026-11-23T10:00:00.000Z'),
  message: told(string, 'What happened.', 'the backup failed; trying again'),
  fields: told({ type: 'object', additionalProperties: true, title: 'LogFields' }, 'What it was about.', {
    thread: 'deliver-1',
  }),
})
export const logLines = object('LogLines', 'The newest lines of the log, the newest first.', {
  items: told(list(logLine), 'The lines.', []),
})
