import type { Command } from '@oclif/core'
import { AppsCreate } from './commands/apps/create.ts'
import { AppsDelete } from './commands/apps/delete.ts'
import { AppsKeysRotate } from './commands/apps/keys/rotate.ts'
import { AppsList } from './commands/apps/list.ts'
import { AppsRename } from './commands/apps/rename.ts'
import { AppsRestrain } from './commands/apps/restrain.ts'
import { AppsShow } from './commands/apps/show.ts'
import { ChannelsCreate } from './commands/channels/create.ts'
import { ChannelsDelete } from './commands/channels/delete.ts'
import { ChannelsImport } from './commands/channels/import.ts'
import { ChannelsImports } from './commands/channels/imports.ts'
import { ChannelsList } from './commands/channels/list.ts'
import { ChannelsShow } from './commands/channels/show.ts'
import { ChannelsUpdate } from './commands/channels/update.ts'
import { Completion } from './commands/completion.ts'
import { ConfigCheck } from './commands/config/check.ts'
import { ConfigShow } from './commands/config/show.ts'
import { Demo } from './commands/demo.ts'
import { GatewaysCheck } from './commands/gateways/check.ts'
import { GatewaysRemove } from './commands/gateways/remove.ts'
import { GatewaysSet } from './commands/gateways/set.ts'
import { GatewaysShow } from './commands/gateways/show.ts'
import { GeofencesCreate } from './commands/geofences/create.ts'
import { GeofencesDelete } from './commands/geofences/delete.ts'
import { GeofencesList } from './commands/geofences/list.ts'
import { GeofencesShow } from './commands/geofences/show.ts'
import { Init } from './commands/init.ts'
import { InstallsList } from './commands/installs/list.ts'
import { InstallsShow } from './commands/installs/show.ts'
import { MigrateDown } from './commands/migrate/down.ts'
import { MigrateStatus } from './commands/migrate/status.ts'
import { MigrateUp } from './commands/migrate/up.ts'
import { NotificationsList } from './commands/notifications/list.ts'
import { NotificationsShow } from './commands/notifications/show.ts'
import { NotificationsTrace } from './commands/notifications/trace.ts'
import { Notify } from './commands/notify.ts'
import { OpenApi } from './commands/openapi.ts'
import { PushTest } from './commands/push/test.ts'
import { Routes } from './commands/routes.ts'
import { SandboxCommand } from './commands/sandbox.ts'
import { SchedulesCancel } from './commands/schedules/cancel.ts'
import { SchedulesList } from './commands/schedules/list.ts'
import { SchedulesPreview } from './commands/schedules/preview.ts'
import { SegmentsCreate } from './commands/segments/create.ts'
import { SegmentsDelete } from './commands/segments/delete.ts'
import { SegmentsList } from './commands/segments/list.ts'
import { SegmentsPreview } from './commands/segments/preview.ts'
import { SegmentsShow } from './commands/segments/show.ts'
import { SegmentsUpdate } from './commands/segments/update.ts'
import { Serve } from './commands/serve.ts'
import { Status } from './commands/status.ts'
import { UsersList } from './commands/users/list.ts'
import { UsersShow } from './commands/users/show.ts'
import { Worker } from './commands/worker.ts'

/** Every command, by id. Imported statically, so that nothing is searched for at run time. */
export const COMMANDS: Record<string, Command.Class> = {
  'apps:create': AppsCreate,
  'apps:delete': AppsDelete,
  'apps:keys:rotate': AppsKeysRotate,
  'apps:list': AppsList,
  'apps:rename': AppsRename,
  'apps:restrain': AppsRestrain,
  'apps:show': AppsShow,
  'channels:create': ChannelsCreate,
  'channels:delete': ChannelsDelete,
  'channels:import': ChannelsImport,
  'channels:imports': ChannelsImports,
  'channels:list': ChannelsList,
  'channels:show': ChannelsShow,
  'channels:update': ChannelsUpdate,
  completion: Completion,
  'config:check': ConfigCheck,
  'config:show': ConfigShow,
  demo: Demo,
  'gateways:check': GatewaysCheck,
  'gateways:remove': GatewaysRemove,
  'gateways:set': GatewaysSet,
  'gateways:show': GatewaysShow,
  'geofences:create': GeofencesCreate,
  'geofences:delete': GeofencesDelete,
  'geofences:list': GeofencesList,
  'geofences:show': GeofencesShow,
  init: Init,
  'installs:list': InstallsList,
  'installs:show': InstallsShow,
  'migrate:down': MigrateDown,
  'migrate:status': MigrateStatus,
  'migrate:up': MigrateUp,
  'notifications:list': NotificationsList,
  'notifications:show': NotificationsShow,
  'notifications:trace': NotificationsTrace,
  notify: Notify,
  openapi: OpenApi,
  'push:test': PushTest,
  routes: Routes,
  sandbox: SandboxCommand,
  'segments:create': SegmentsCreate,
  'segments:delete': SegmentsDelete,
  'segments:list': SegmentsList,
  'segments:preview': SegmentsPreview,
  'segments:show': SegmentsShow,
  'segments:update': SegmentsUpdate,
  'schedules:cancel': SchedulesCancel,
  'schedules:list': SchedulesList,
  'schedules:preview': SchedulesPreview,
  serve: Serve,
  status: Status,
  'users:list': UsersList,
  'users:show': UsersShow,
  worker: Worker,
}

/** What the first words of commands are about. */
export const TOPICS: Record<string, string> = {
  apps: 'Apps and their keys',
  'apps:keys': 'Keys of an app',
  channels: 'Channels and who is subscribed to them',
  config: 'Settings',
  gateways: 'Push gateways of an app',
  geofences: 'Geofences and who is inside',
  installs: 'Installs of an app',
  migrate: 'Schema of the database',
  notifications: 'What became of notifications',
  push: 'Single pushes',
  schedules: 'Scheduled notifications',
  segments: 'Segments: named filters over the installs of an app',
  users: 'Users of an app',
}
