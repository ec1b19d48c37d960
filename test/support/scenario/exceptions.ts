/** A statement that may read more the more there is, with the reason. One that is none any more fails the test. */
export interface Exception {
  sql: RegExp
  why: string
  /** Set for PostgreSQL only, and only until its tables are analysed for the first time. */
  untilAnalysed?: true
  /** The only database to which it applies. */
  only?: 'sqlite' | 'postgres'
}

const WHOLE_APP = 'when an app goes, all of its channels do'
const ON_REQUEST = 'an operator asks for it, in a process of its own'
const CATALOGUE = 'the catalogues of a database grow with its tables and connections, not with rows'
const COMPARES = 'a file of geofences is compared with all of the app, at most a few thousand'
const ONE_BLOCK = 'the 4096 ids of a block, which may be all users that there are'
const FEW_BEFORE =
  'few notifications are before an old one, and PostgreSQL reads and sorts these; before a new one it goes along the index'
const NO_IDEA = 'PostgreSQL takes the condition to hold for a third of the rows or more, until it has looked'

export const EXCEPTIONS: readonly Exception[] = [
  { sql: /^INSERT INTO deleted_channels/, why: WHOLE_APP },
  { sql: /^delete from .channels. where .app_id./, why: WHOLE_APP },
  { sql: /^select .fingerprint., count.* from .crash_reports./, why: ON_REQUEST },
  { sql: /^INSERT INTO data_blocks .*SELECT .*GROUP BY 2/s, why: ON_REQUEST },
  { sql: /^select count.* from .channel_(installs|users)./, why: ON_REQUEST, only: 'postgres' },
  { sql: /from sqlite_master where type/, why: CATALOGUE, only: 'sqlite' },
  { sql: /FROM pg_(stat_activity|index|inherits) /, why: CATALOGUE, only: 'postgres' },
  { sql: /^select .name., .digest. from .geofences./, why: COMPARES },
  { sql: /^select .id., .last_active. as .at. from .users./, why: ONE_BLOCK, only: 'postgres' },
  { sql: /substr\(filters, 1, 200\) AS filters from .notifications./, why: FEW_BEFORE, only: 'postgres' },
  { sql: /FROM in_app_language_counts WHERE message_id/, why: NO_IDEA, untilAnalysed: true },
  { sql: /from in_app_messages where .next_at. is not null .* .target. like/, why: NO_IDEA, untilAnalysed: true },
  { sql: /from in_app_messages where .next_at. is not null .* .purpose. =/, why: NO_IDEA, untilAnalysed: true },
  { sql: /^select .id. from .in_app_messages. where .next_at. is not null/, why: NO_IDEA, untilAnalysed: true },
  { sql: /^update .in_app_messages. .* where .next_at. is not null/, why: NO_IDEA, untilAnalysed: true },
  { sql: /from .checkin_contacts. where .checkin_id. in/, why: NO_IDEA, untilAnalysed: true },
  { sql: /from .installs. where subscribed and .user_id. = ANY/, why: NO_IDEA, untilAnalysed: true },
]
