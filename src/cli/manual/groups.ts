import type { Command } from '@oclif/core'

/** Commands as the catalogue of `run.ts` has them. */
export interface Catalogue {
  commands: Readonly<Record<string, Command.Class>>
  topics: Readonly<Record<string, string>>
}

/** Groups of the help, in the order of use: first words of commands, each in one group. */
export const GROUPS: readonly (readonly [title: string, words: readonly string[]])[] = [
  ['Start', ['demo', 'serve', 'init', 'apps', 'gateways', 'sandbox']],
  [
    'Send',
    [
      'notify',
      'push',
      'notifications',
      'in-app',
      'push-templates',
      'templates',
      'pictures',
      'schedules',
      'series',
      'labels',
    ],
  ],
  [
    'People and audiences',
    ['users', 'installs', 'channels', 'segments', 'geofences', 'checkins', 'purposes', 'suppressions', 'import'],
  ],
  ['Links and web pages', ['links', 'banners', 'prompts']],
  ['Data and events', ['tables', 'events', 'metrics', 'crashes', 'webhooks']],
  ['Access', ['admins', 'keys', 'audit', 'login', 'logout', 'whoami']],
  [
    'Operate',
    [
      'status',
      'doctor',
      'load',
      'backup',
      'backups',
      'restore',
      'release',
      'certificates',
      'config',
      'db',
      'migrate',
      'nodes',
      'worker',
    ],
  ],
  ['About appsvc', ['version', 'completion', 'man', 'openapi', 'routes']],
]

/** Five lines that show what it is for. */
export const EXAMPLES: readonly (readonly [line: string, what: string])[] = [
  ['appsvc demo', 'see everything at work, with stand-ins for the push gateways'],
  ['appsvc apps create Bakery', 'an app with its keys'],
  ['appsvc gateways set --app Bakery android --service-account key.json', 'let it send to Android phones'],
  [`echo '{"target":{"broadcast":true},"content":{"title":"Hello"}}' | appsvc notify`, 'send a push to everybody'],
  ['appsvc doctor', 'what is wrong, and what to do'],
]

/** Lines of the overview for commands whose summary is longer than a line of it. */
const SHORT: Readonly<Record<string, string>> = {
  sandbox: 'Run stand-ins for the push gateways, without a vendor account',
  keys: 'Server keys with scopes, REST keys, and the master key',
  login: 'Sign in to a server on another machine',
  whoami: 'Show on which server commands run, and with which rights',
  status: 'Show the state of the server, its faults and what is sending',
  backup: 'Back up the SQLite database, also while the server runs',
  release: 'Resume sending from a database that was restored or copied',
  nodes: 'Show the processes that serve this database',
  worker: 'Run the workers without HTTP, on PostgreSQL',
  man: 'Print the man page, or all commands as Markdown',
}

/** One line about the first word of commands. */
export function aboutWord({ commands, topics }: Catalogue, word: string): string {
  // The rest of a summary stands in the help of the command.
  return SHORT[word] ?? topics[word] ?? commands[word]?.summary?.split(/[:;] /)[0] ?? ''
}
