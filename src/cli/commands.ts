import type { Command } from '@oclif/core'
import { AppsCreate } from './commands/apps/create.ts'
import { AppsDelete } from './commands/apps/delete.ts'
import { AppsKeysRotate } from './commands/apps/keys/rotate.ts'
import { AppsList } from './commands/apps/list.ts'
import { AppsRestrain } from './commands/apps/restrain.ts'
import { AppsRename } from './commands/apps/rename.ts'
import { AppsShow } from './commands/apps/show.ts'
import { Completion } from './commands/completion.ts'
import { ConfigCheck } from './commands/config/check.ts'
import { ConfigShow } from './commands/config/show.ts'
import { Demo } from './commands/demo.ts'
import { GatewaysCheck } from './commands/gateways/check.ts'
import { GatewaysRemove } from './commands/gateways/remove.ts'
import { GatewaysSet } from './commands/gateways/set.ts'
import { GatewaysShow } from './commands/gateways/show.ts'
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
import { PushTest } from './commands/push/test.ts'
import { Routes } from './commands/routes.ts'
import { SandboxCommand } from './commands/sandbox.ts'
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
  completion: Completion,
  'config:check': ConfigCheck,
  'config:show': ConfigShow,
  demo: Demo,
  'gateways:check': GatewaysCheck,
  'gateways:remove': GatewaysRemove,
  'gateways:set': GatewaysSet,
  'gateways:show': GatewaysShow,
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
  'push:test': PushTest,
  routes: Routes,
  sandbox: SandboxCommand,
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
  config: 'Settings',
  gateways: 'Push gateways of an app',
  installs: 'Installs of an app',
  migrate: 'Schema of the database',
  notifications: 'What became of notifications',
  push: 'Single pushes',
  users: 'Users of an app',
}
