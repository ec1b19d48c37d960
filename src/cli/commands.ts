import type { Command } from '@oclif/core'
import { AdminsCreate } from './commands/admins/create.ts'
import { AdminsDelete } from './commands/admins/delete.ts'
import { AdminsList } from './commands/admins/list.ts'
import { AdminsReset } from './commands/admins/reset.ts'
import { AdminsRoles } from './commands/admins/roles.ts'
import { AppsCreate } from './commands/apps/create.ts'
import { AppsDelete } from './commands/apps/delete.ts'
import { AppsIdentity } from './commands/apps/identity.ts'
import { AppsKeysRotate } from './commands/apps/keys/rotate.ts'
import { AppsList } from './commands/apps/list.ts'
import { AppsQuickstart } from './commands/apps/quickstart.ts'
import { AppsRename } from './commands/apps/rename.ts'
import { AppsRestrain } from './commands/apps/restrain.ts'
import { AppsSettings } from './commands/apps/settings.ts'
import { AppsShow } from './commands/apps/show.ts'
import { Audit } from './commands/audit.ts'
import { Backup } from './commands/backup.ts'
import { BackupsList } from './commands/backups/list.ts'
import { BackupsVerify } from './commands/backups/verify.ts'
import { BannersCreate } from './commands/banners/create.ts'
import { BannersDelete } from './commands/banners/delete.ts'
import { BannersList } from './commands/banners/list.ts'
import { BannersShow } from './commands/banners/show.ts'
import { BannersUpdate } from './commands/banners/update.ts'
import { CertificatesRenew } from './commands/certificates/renew.ts'
import { Certificates } from './commands/certificates/show.ts'
import { ChannelsCreate } from './commands/channels/create.ts'
import { ChannelsDelete } from './commands/channels/delete.ts'
import { ChannelsImport } from './commands/channels/import.ts'
import { ChannelsImports } from './commands/channels/imports.ts'
import { ChannelsList } from './commands/channels/list.ts'
import { ChannelsShow } from './commands/channels/show.ts'
import { ChannelsSubscriptions } from './commands/channels/subscriptions.ts'
import { ChannelsUpdate } from './commands/channels/update.ts'
import { CheckinsList } from './commands/checkins/list.ts'
import { Completion } from './commands/completion.ts'
import { ConfigCheck } from './commands/config/check.ts'
import { ConfigShow } from './commands/config/show.ts'
import { CrashesList } from './commands/crashes/list.ts'
import { CrashesShow } from './commands/crashes/show.ts'
import { DbCopy } from './commands/db/copy.ts'
import { Demo } from './commands/demo.ts'
import { Doctor } from './commands/doctor.ts'
import { EventsSettings } from './commands/events/settings.ts'
import { EventsTail } from './commands/events/tail.ts'
import { GatewaysCheck } from './commands/gateways/check.ts'
import { GatewaysDelete } from './commands/gateways/delete.ts'
import { GatewaysSet } from './commands/gateways/set.ts'
import { GatewaysShow } from './commands/gateways/show.ts'
import { GeofencesCreate } from './commands/geofences/create.ts'
import { GeofencesDelete } from './commands/geofences/delete.ts'
import { GeofencesExport } from './commands/geofences/export.ts'
import { GeofencesImport } from './commands/geofences/import.ts'
import { GeofencesList } from './commands/geofences/list.ts'
import { GeofencesShow } from './commands/geofences/show.ts'
import { GeofencesUpdate } from './commands/geofences/update.ts'
import { ImportAirship } from './commands/import/airship.ts'
import { ImportBranch } from './commands/import/branch.ts'
import { ImportCsv } from './commands/import/csv.ts'
import { ImportDelete } from './commands/import/delete.ts'
import { ImportExpo } from './commands/import/expo.ts'
import { ImportFirebase } from './commands/import/firebase.ts'
import { ImportList } from './commands/import/list.ts'
import { ImportOnesignal } from './commands/import/onesignal.ts'
import { ImportParse } from './commands/import/parse.ts'
import { ImportPinpoint } from './commands/import/pinpoint.ts'
import { InAppList } from './commands/in-app/list.ts'
import { InAppPreviewCommand } from './commands/in-app/preview.ts'
import { InAppSendNow } from './commands/in-app/send-now.ts'
import { InAppShow } from './commands/in-app/show.ts'
import { InAppUpdate } from './commands/in-app/update.ts'
import { InAppWithdraw } from './commands/in-app/withdraw.ts'
import { Init } from './commands/init.ts'
import { InstallsDelete } from './commands/installs/delete.ts'
import { InstallsList } from './commands/installs/list.ts'
import { InstallsShow } from './commands/installs/show.ts'
import { KeysCreate } from './commands/keys/create.ts'
import { KeysDelete } from './commands/keys/delete.ts'
import { KeysList } from './commands/keys/list.ts'
import { KeysRotate } from './commands/keys/rotate.ts'
import { LabelsList } from './commands/labels/list.ts'
import { LinksCheck } from './commands/links/check.ts'
import { LinksCreate } from './commands/links/create.ts'
import { LinksDelete } from './commands/links/delete.ts'
import { LinksImport } from './commands/links/import.ts'
import { LinksList } from './commands/links/list.ts'
import { LinksQr } from './commands/links/qr.ts'
import { LinksSettings } from './commands/links/settings.ts'
import { LinksShow } from './commands/links/show.ts'
import { LinksUpdate } from './commands/links/update.ts'
import { Load } from './commands/load.ts'
import { Login } from './commands/login.ts'
import { Logout } from './commands/logout.ts'
import { Man } from './commands/man.ts'
import { MetricsDelete } from './commands/metrics/delete.ts'
import { MetricsList } from './commands/metrics/list.ts'
import { MetricsSet } from './commands/metrics/set.ts'
import { MetricsShow } from './commands/metrics/show.ts'
import { MigrateDown } from './commands/migrate/down.ts'
import { MigrateStatus } from './commands/migrate/status.ts'
import { MigrateUp } from './commands/migrate/up.ts'
import { Nodes } from './commands/nodes.ts'
import { NotificationsList } from './commands/notifications/list.ts'
import { NotificationsRecipients } from './commands/notifications/recipients.ts'
import { NotificationsShow } from './commands/notifications/show.ts'
import { NotificationsTrace } from './commands/notifications/trace.ts'
import { Notify } from './commands/notify.ts'
import { OpenApi } from './commands/openapi.ts'
import { PicturesAdd } from './commands/pictures/add.ts'
import { PicturesDelete } from './commands/pictures/delete.ts'
import { PicturesList } from './commands/pictures/list.ts'
import { PicturesShow } from './commands/pictures/show.ts'
import { PromptsCreate } from './commands/prompts/create.ts'
import { PromptsDelete } from './commands/prompts/delete.ts'
import { PromptsList } from './commands/prompts/list.ts'
import { PromptsShow } from './commands/prompts/show.ts'
import { PromptsUpdate } from './commands/prompts/update.ts'
import { PurposesDelete } from './commands/purposes/delete.ts'
import { PurposesList } from './commands/purposes/list.ts'
import { PurposesSet } from './commands/purposes/set.ts'
import { PushPreview } from './commands/push/preview.ts'
import { PushTest } from './commands/push/test.ts'
import { PushTemplatesCreate } from './commands/push-templates/create.ts'
import { PushTemplatesDelete } from './commands/push-templates/delete.ts'
import { PushTemplatesImport } from './commands/push-templates/import.ts'
import { PushTemplatesList } from './commands/push-templates/list.ts'
import { PushTemplatesPreview } from './commands/push-templates/preview.ts'
import { PushTemplatesShow } from './commands/push-templates/show.ts'
import { PushTemplatesUpdate } from './commands/push-templates/update.ts'
import { PushTemplatesVersions } from './commands/push-templates/versions.ts'
import { Release } from './commands/release.ts'
import { Restore } from './commands/restore.ts'
import { Routes } from './commands/routes.ts'
import { SandboxCommand } from './commands/sandbox.ts'
import { SchedulesCancel } from './commands/schedules/cancel.ts'
import { SchedulesList } from './commands/schedules/list.ts'
import { SchedulesPreview } from './commands/schedules/preview.ts'
import { SchedulesSendNow } from './commands/schedules/send-now.ts'
import { SchedulesUpdate } from './commands/schedules/update.ts'
import { SegmentsCount } from './commands/segments/count.ts'
import { SegmentsCreate } from './commands/segments/create.ts'
import { SegmentsDelete } from './commands/segments/delete.ts'
import { SegmentsList } from './commands/segments/list.ts'
import { SegmentsPreview } from './commands/segments/preview.ts'
import { SegmentsShow } from './commands/segments/show.ts'
import { SegmentsUpdate } from './commands/segments/update.ts'
import { SeriesEnd } from './commands/series/end.ts'
import { SeriesList } from './commands/series/list.ts'
import { SeriesPause } from './commands/series/pause.ts'
import { SeriesResume } from './commands/series/resume.ts'
import { SeriesShow } from './commands/series/show.ts'
import { Serve } from './commands/serve.ts'
import { Status } from './commands/status.ts'
import { SuppressionsAdd } from './commands/suppressions/add.ts'
import { SuppressionsDelete } from './commands/suppressions/delete.ts'
import { SuppressionsImport } from './commands/suppressions/import.ts'
import { SuppressionsList } from './commands/suppressions/list.ts'
import { SuppressionsShow } from './commands/suppressions/show.ts'
import { TablesAlter } from './commands/tables/alter.ts'
import { TablesCreate } from './commands/tables/create.ts'
import { TablesDelete } from './commands/tables/delete.ts'
import { TablesExport } from './commands/tables/export.ts'
import { TablesImport } from './commands/tables/import.ts'
import { TablesList } from './commands/tables/list.ts'
import { TablesShow } from './commands/tables/show.ts'
import { TemplatesCreate } from './commands/templates/create.ts'
import { TemplatesDelete } from './commands/templates/delete.ts'
import { TemplatesList } from './commands/templates/list.ts'
import { TemplatesPreview } from './commands/templates/preview.ts'
import { TemplatesShow } from './commands/templates/show.ts'
import { TemplatesStarters } from './commands/templates/starters.ts'
import { TemplatesUpdate } from './commands/templates/update.ts'
import { TemplatesVersions } from './commands/templates/versions.ts'
import { UsersDelete } from './commands/users/delete.ts'
import { UsersExport } from './commands/users/export.ts'
import { UsersImport } from './commands/users/import.ts'
import { UsersList } from './commands/users/list.ts'
import { UsersPurposes } from './commands/users/purposes.ts'
import { UsersShow } from './commands/users/show.ts'
import { UsersSign } from './commands/users/sign.ts'
import { Version } from './commands/version.ts'
import { WebhooksAttempts } from './commands/webhooks/attempts.ts'
import { WebhooksCreate } from './commands/webhooks/create.ts'
import { WebhooksDelete } from './commands/webhooks/delete.ts'
import { WebhooksList } from './commands/webhooks/list.ts'
import { WebhooksReplay } from './commands/webhooks/replay.ts'
import { WebhooksRotate } from './commands/webhooks/rotate.ts'
import { WebhooksShow } from './commands/webhooks/show.ts'
import { WebhooksTest } from './commands/webhooks/test.ts'
import { WebhooksUpdate } from './commands/webhooks/update.ts'
import { Whoami } from './commands/whoami.ts'
import { Worker } from './commands/worker.ts'

/** Every command by id. The imports are static, so that the program never searches for files at run time. */
export const COMMANDS: Record<string, Command.Class> = {
  'admins:create': AdminsCreate,
  'admins:list': AdminsList,
  'admins:reset': AdminsReset,
  'admins:delete': AdminsDelete,
  'admins:roles': AdminsRoles,
  'apps:create': AppsCreate,
  'apps:delete': AppsDelete,
  'apps:identity': AppsIdentity,
  'apps:quickstart': AppsQuickstart,
  'apps:keys:rotate': AppsKeysRotate,
  'apps:list': AppsList,
  'apps:rename': AppsRename,
  'apps:restrain': AppsRestrain,
  'apps:settings': AppsSettings,
  'apps:show': AppsShow,
  audit: Audit,
  backup: Backup,
  'backups:list': BackupsList,
  'backups:verify': BackupsVerify,
  'banners:create': BannersCreate,
  'banners:delete': BannersDelete,
  'banners:list': BannersList,
  'banners:show': BannersShow,
  'banners:update': BannersUpdate,
  certificates: Certificates,
  'certificates:renew': CertificatesRenew,
  'channels:create': ChannelsCreate,
  'channels:delete': ChannelsDelete,
  'channels:import': ChannelsImport,
  'channels:imports': ChannelsImports,
  'channels:list': ChannelsList,
  'channels:show': ChannelsShow,
  'channels:subscriptions': ChannelsSubscriptions,
  'channels:update': ChannelsUpdate,
  'checkins:list': CheckinsList,
  completion: Completion,
  'config:check': ConfigCheck,
  'config:show': ConfigShow,
  'crashes:list': CrashesList,
  'crashes:show': CrashesShow,
  'db:copy': DbCopy,
  demo: Demo,
  doctor: Doctor,
  'events:settings': EventsSettings,
  'events:tail': EventsTail,
  'gateways:check': GatewaysCheck,
  'gateways:delete': GatewaysDelete,
  'gateways:set': GatewaysSet,
  'gateways:show': GatewaysShow,
  'geofences:create': GeofencesCreate,
  'geofences:delete': GeofencesDelete,
  'geofences:export': GeofencesExport,
  'geofences:import': GeofencesImport,
  'geofences:list': GeofencesList,
  'geofences:show': GeofencesShow,
  'geofences:update': GeofencesUpdate,
  'import:airship': ImportAirship,
  'import:branch': ImportBranch,
  'import:csv': ImportCsv,
  'import:delete': ImportDelete,
  'import:expo': ImportExpo,
  'import:firebase': ImportFirebase,
  'import:list': ImportList,
  'import:onesignal': ImportOnesignal,
  'import:parse': ImportParse,
  'import:pinpoint': ImportPinpoint,
  'in-app:list': InAppList,
  'in-app:preview': InAppPreviewCommand,
  'in-app:send-now': InAppSendNow,
  'in-app:show': InAppShow,
  'in-app:update': InAppUpdate,
  'in-app:withdraw': InAppWithdraw,
  init: Init,
  'installs:delete': InstallsDelete,
  'installs:list': InstallsList,
  'installs:show': InstallsShow,
  'keys:create': KeysCreate,
  'keys:list': KeysList,
  'keys:delete': KeysDelete,
  'keys:rotate': KeysRotate,
  'links:check': LinksCheck,
  'links:create': LinksCreate,
  'links:delete': LinksDelete,
  'links:import': LinksImport,
  'links:list': LinksList,
  'links:qr': LinksQr,
  'links:settings': LinksSettings,
  'links:show': LinksShow,
  'links:update': LinksUpdate,
  load: Load,
  login: Login,
  logout: Logout,
  man: Man,
  'metrics:delete': MetricsDelete,
  'metrics:list': MetricsList,
  'metrics:set': MetricsSet,
  'metrics:show': MetricsShow,
  'migrate:down': MigrateDown,
  'migrate:status': MigrateStatus,
  'migrate:up': MigrateUp,
  'notifications:list': NotificationsList,
  'notifications:recipients': NotificationsRecipients,
  'notifications:show': NotificationsShow,
  'notifications:trace': NotificationsTrace,
  nodes: Nodes,
  notify: Notify,
  openapi: OpenApi,
  'pictures:add': PicturesAdd,
  'pictures:delete': PicturesDelete,
  'pictures:list': PicturesList,
  'pictures:show': PicturesShow,
  'prompts:create': PromptsCreate,
  'prompts:delete': PromptsDelete,
  'prompts:list': PromptsList,
  'prompts:show': PromptsShow,
  'prompts:update': PromptsUpdate,
  'push-templates:create': PushTemplatesCreate,
  'push-templates:delete': PushTemplatesDelete,
  'push-templates:import': PushTemplatesImport,
  'push-templates:list': PushTemplatesList,
  'push-templates:preview': PushTemplatesPreview,
  'push-templates:show': PushTemplatesShow,
  'push-templates:update': PushTemplatesUpdate,
  'push-templates:versions': PushTemplatesVersions,
  'push:preview': PushPreview,
  'purposes:delete': PurposesDelete,
  'purposes:list': PurposesList,
  'purposes:set': PurposesSet,
  'push:test': PushTest,
  release: Release,
  restore: Restore,
  routes: Routes,
  sandbox: SandboxCommand,
  'segments:count': SegmentsCount,
  'segments:create': SegmentsCreate,
  'segments:delete': SegmentsDelete,
  'segments:list': SegmentsList,
  'segments:preview': SegmentsPreview,
  'segments:show': SegmentsShow,
  'segments:update': SegmentsUpdate,
  'labels:list': LabelsList,
  'series:end': SeriesEnd,
  'series:list': SeriesList,
  'series:pause': SeriesPause,
  'series:resume': SeriesResume,
  'series:show': SeriesShow,
  'schedules:cancel': SchedulesCancel,
  'schedules:list': SchedulesList,
  'schedules:preview': SchedulesPreview,
  'schedules:send-now': SchedulesSendNow,
  'schedules:update': SchedulesUpdate,
  serve: Serve,
  status: Status,
  'suppressions:add': SuppressionsAdd,
  'suppressions:import': SuppressionsImport,
  'suppressions:list': SuppressionsList,
  'suppressions:delete': SuppressionsDelete,
  'suppressions:show': SuppressionsShow,
  'tables:alter': TablesAlter,
  'tables:create': TablesCreate,
  'tables:delete': TablesDelete,
  'tables:export': TablesExport,
  'tables:import': TablesImport,
  'tables:list': TablesList,
  'tables:show': TablesShow,
  'templates:create': TemplatesCreate,
  'templates:delete': TemplatesDelete,
  'templates:list': TemplatesList,
  'templates:preview': TemplatesPreview,
  'templates:show': TemplatesShow,
  'templates:starters': TemplatesStarters,
  'templates:update': TemplatesUpdate,
  'templates:versions': TemplatesVersions,
  'users:delete': UsersDelete,
  'users:export': UsersExport,
  'users:import': UsersImport,
  'users:list': UsersList,
  'users:purposes': UsersPurposes,
  'users:show': UsersShow,
  'users:sign': UsersSign,
  version: Version,
  'webhooks:attempts': WebhooksAttempts,
  'webhooks:create': WebhooksCreate,
  'webhooks:delete': WebhooksDelete,
  'webhooks:list': WebhooksList,
  'webhooks:replay': WebhooksReplay,
  'webhooks:rotate': WebhooksRotate,
  'webhooks:show': WebhooksShow,
  'webhooks:test': WebhooksTest,
  'webhooks:update': WebhooksUpdate,
  whoami: Whoami,
  worker: Worker,
}

/** Earlier names of commands, which go on working: `delete` is the verb for all of them. */
export const ALIASES: Readonly<Record<string, string>> = {
  'admins:revoke': 'admins:delete',
  'gateways:remove': 'gateways:delete',
  'import:drop': 'import:delete',
  'keys:revoke': 'keys:delete',
  'suppressions:remove': 'suppressions:delete',
  'tables:drop': 'tables:delete',
  'users:erase': 'users:delete',
}

for (const [earlier, id] of Object.entries(ALIASES)) {
  const command = COMMANDS[id]!
  const note = `Also appsvc ${earlier.replaceAll(':', ' ')}, its earlier name.`
  command.description = command.description === undefined ? note : `${command.description} ${note}`
}

// By this name a command knows itself: oclif tells only the one that it starts, and the demo starts others.
for (const [id, command] of Object.entries(COMMANDS)) command.id = id

/** Descriptions of the topics, which are the first words of commands. */
export const TOPICS: Record<string, string> = {
  admins: 'People of the admin interface',
  apps: 'Apps and their keys',
  'apps:keys': 'Keys of an app',
  backups: 'Backups that exist',
  banners: 'Banners on web pages that lead to the app',
  certificates: 'Certificates of the server',
  channels: 'Channels and their subscribers',
  checkins: 'Check-ins at places',
  config: 'Settings',
  crashes: 'Crash reports of apps',
  db: 'The database as a whole',
  events: 'The log of events',
  gateways: 'Push gateways of an app',
  geofences: 'Geofences and the users inside them',
  import: 'Installs, users and links of other services',
  'in-app': 'In-app messages and their results',
  installs: 'Installs of an app',
  keys: 'REST keys for data tables, server keys with scopes, and the master key',
  links: 'Deep links of an app and their host name',
  metrics: 'What is counted of the events of each user',
  migrate: 'Migrations of the database schema',
  notifications: 'Notifications and their results',
  pictures: 'Pictures of pushes, in-app messages and links',
  prompts: 'Prompts that ask on web pages for permission to send pushes',
  purposes: 'Purposes that users allow or refuse',
  push: 'Test pushes',
  'push-templates': 'Stored content of pushes',
  schedules: 'Scheduled notifications',
  segments: 'Segments: named filters over the installs of an app',
  labels: 'Words that sends carry',
  series: 'Sends that repeat',
  suppressions: 'Users who get nothing',
  tables: 'Data tables of an app and their records',
  templates: 'Templates of in-app messages',
  users: 'Users of an app',
  webhooks: 'Webhooks: addresses to which events are sent',
}
