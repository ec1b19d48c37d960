import type { CommandRight } from '../../server/admin/command-runner.ts'

/** A route of `/admin/v1`, without that address; `@` is the app: `PUT @/channels/:id`. */
export type RouteName = `${'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'} ${'@' | '/'}${string}`

/**
 * The terms on which a command runs for somebody on another machine. `app`: in one app, in which the person needs the right.
 * `server`: the person needs the right on the whole server. `apps`: it shows the apps in which the person has a role.
 */
export interface Served {
  /**
   * The route with the same effect: the command asks for the right and the fresh sign-in of the route, so the two doors cannot
   * differ. Only a command without such a route names a right of its own.
   */
  needs: RouteName | CommandRight
  in: 'app' | 'server' | 'apps'
  /** True when it changes something. */
  writes: boolean
  /** True when it shows personal data, or values that may be: not for those who see it masked. */
  people: boolean
  /** Set without a route: a personal token needs the scope `confirmed`, and a session a fresh sign-in. */
  confirmed?: true
  /** Set when the command may end the access of its caller; the loss of access is then no reason to break it off. */
  endsAccess?: true
  /** Set when only these flags need a server: without any of them the command runs on every machine, and answers the same. */
  onlyWith?: readonly string[]
  /** Set when the command runs until Ctrl-C; the interruption is then no failure. */
  follows?: true
}

/** `machine`: about the machine it runs on. `anywhere`: it needs no server, and answers the same on every machine. */
export type Place = Served | 'machine' | 'anywhere'

const of =
  (writes: boolean, people: boolean) =>
  (needs: Served['needs'], where: Served['in'] = 'app'): Served => ({ needs, in: where, writes, people })
const shows = of(false, false)
const showsPeople = of(false, true)
const changes = of(true, false)
/** Changes, and shows the people whom it is about. */
const changesPeople = of(true, true)
const endsAccess = (served: Served): Served => ({ ...served, endsAccess: true })
/** Commands that cannot be undone, or that open doors. */
const confirmed = (served: Served): Served => ({ ...served, confirmed: true })

/**
 * Flags that no caller on another machine may use: they name files, settings and keys of the machine, and servers that it would
 * call. `--url` is one too, but of the commands for which it is an address to store.
 */
export const HERE_ONLY = ['config', 'data-dir', 'database-url', 'ca', 'api-key', 'server-key-file'] as const
/** Commands whose `--url` is stored, and called by nobody but the guarded sender of webhooks. */
export const STORES_URL: readonly string[] = ['webhooks:update']

/**
 * Every command, and the people who may run it from another machine (docs/reference/rights.md shows it with the demands of each
 * route). A test holds that none is missing, and another one that both doors admit and refuse the same people.
 */
export const PLACES: Readonly<Record<string, Place>> = {
  'admins:create': changes('POST /admins', 'server'),
  'admins:list': shows('GET /admins', 'server'),
  'admins:reset': changes('POST /admins/:id/reset', 'server'),
  'admins:delete': endsAccess(changes('DELETE /admins/:id', 'server')),
  'admins:roles': endsAccess(changes('PUT /admins/:id/roles', 'server')),
  'apps:create': changes('POST /apps', 'server'),
  'apps:delete': endsAccess(changes('DELETE @')),
  'apps:identity': changes('PUT @/signed-users'),
  'apps:keys:rotate': changes('POST @/keys/:kind/rotate'),
  'apps:list': shows('see', 'apps'),
  'apps:quickstart': changesPeople('POST @/push-tries'),
  'apps:rename': changes('PATCH @'),
  'apps:restrain': changes('PUT @/restraint'),
  'apps:settings': changes('PATCH @'),
  'apps:show': shows('GET @'),
  audit: shows('GET /audit', 'server'),
  backup: 'machine',
  'backups:list': shows('GET /backups', 'server'),
  'backups:verify': 'machine',
  'banners:create': changes('POST @/banners'),
  'banners:delete': changes('DELETE @/banners/:uuid'),
  'banners:list': shows('GET @/banners'),
  'banners:show': shows('GET @/banners/:uuid'),
  'banners:update': changes('PATCH @/banners/:uuid'),
  certificates: shows('GET /health', 'server'),
  'certificates:renew': changes('operate', 'server'),
  'channels:create': changes('POST @/channels'),
  'channels:delete': changes('DELETE @/channels/:id'),
  'channels:import': changesPeople('POST @/channels/:uuid/subscribers-file'),
  'channels:imports': showsPeople('GET @/channels/:uuid/imports'),
  'channels:list': showsPeople('GET @/channels'),
  'channels:show': showsPeople('GET @/channels/:id'),
  'channels:subscriptions': showsPeople('GET @/channels/:uuid/subscriptions'),
  'channels:update': changes('PUT @/channels/:id'),
  'checkins:list': showsPeople('GET @/checkins'),
  completion: 'anywhere',
  'config:check': 'machine',
  'config:show': 'machine',
  'crashes:list': showsPeople('GET @/crashes'),
  'crashes:show': showsPeople('GET @/crashes/:crashId'),
  'db:copy': 'machine',
  demo: 'machine',
  doctor: 'machine',
  'events:settings': changes('PUT @/events/settings'),
  'events:tail': { ...showsPeople('GET @/events'), follows: true },
  'gateways:check': shows('POST @/gateways/:platform/check'),
  'gateways:delete': changes('DELETE @/gateways/:platform'),
  'gateways:set': changes('PUT @/gateways'),
  'gateways:show': shows('GET @/gateways'),
  'geofences:create': changes('POST @/geofences'),
  'geofences:delete': changes('DELETE @/geofences/:id'),
  'geofences:export': shows('GET @/geofences'),
  'geofences:import': changes('POST @/geofences/import'),
  'geofences:list': shows('GET @/geofences'),
  'geofences:show': showsPeople('GET @/geofences/:id'),
  'geofences:update': changes('PUT @/geofences/:id'),
  'import:airship': changesPeople('operate'),
  'import:branch': changes('operate'),
  'import:csv': changesPeople('operate'),
  'import:delete': changes('operate'),
  'import:expo': changesPeople('operate'),
  'import:firebase': changesPeople('operate'),
  'import:list': shows('see'),
  'import:onesignal': changesPeople('operate'),
  'import:parse': changesPeople('operate'),
  'import:pinpoint': changesPeople('operate'),
  'in-app:list': showsPeople('GET @/in-app-messages'),
  'in-app:preview': showsPeople('POST @/in-app-messages/preview'),
  'in-app:send-now': changesPeople('PATCH @/in-app-messages/:id'),
  'in-app:show': showsPeople('GET @/in-app-messages/:id'),
  'in-app:update': changesPeople('PATCH @/in-app-messages/:id'),
  'in-app:withdraw': changes('DELETE @/in-app-messages/:id'),
  init: 'machine',
  'installs:delete': changesPeople('DELETE @/installs/:installId'),
  'installs:list': showsPeople('GET @/users'),
  'installs:show': showsPeople('GET @/profiles/:profileId'),
  'keys:create': changes('POST @/keys'),
  'keys:list': shows('GET @/keys'),
  'keys:delete': changes('DELETE @/keys/:id'),
  'keys:rotate': 'machine',
  'links:check': shows('GET @/link-check', 'server'),
  'links:create': changesPeople('POST @/deep-links'),
  'links:delete': changes('DELETE @/deep-links/:id'),
  'links:import': changes('POST @/deep-links'),
  'links:list': showsPeople('GET @/deep-links'),
  'links:qr': shows('GET @/deep-links/:id/qr'),
  'links:settings': changes('PUT @/link-settings'),
  'links:show': showsPeople('GET @/deep-links/:id'),
  'links:update': changesPeople('PATCH @/deep-links/:id'),
  load: shows('GET /load', 'server'),
  login: 'anywhere',
  logout: 'anywhere',
  man: 'anywhere',
  'metrics:delete': changes('DELETE @/metrics/:name'),
  'labels:list': shows('GET @/labels/report'),
  'metrics:list': showsPeople('GET @/metrics'),
  'metrics:set': changesPeople('PUT @/metrics/:name'),
  'metrics:show': showsPeople('GET @/metrics/:name'),
  'migrate:down': 'machine',
  'migrate:status': 'machine',
  'migrate:up': 'machine',
  nodes: shows('GET /health', 'server'),
  'notifications:list': showsPeople('GET @/notifications'),
  'notifications:recipients': showsPeople('GET @/notifications/:id/recipients'),
  'notifications:show': showsPeople('GET @/notifications/:id'),
  'notifications:trace': showsPeople('GET @/deliveries/:id/trace'),
  notify: changesPeople('POST @/notifications'),
  openapi: 'anywhere',
  'pictures:add': changes('POST @/pictures'),
  'pictures:delete': changes('DELETE @/pictures/:uid'),
  'pictures:list': shows('GET @/pictures'),
  'pictures:show': shows('GET @/pictures/:uid'),
  'prompts:create': changes('POST @/prompts/:name'),
  'prompts:delete': changes('DELETE @/prompts/:name'),
  'prompts:list': shows('GET @/prompts'),
  'prompts:show': shows('GET @/prompts/:name'),
  'prompts:update': changes('PATCH @/prompts/:name'),
  'purposes:delete': changes('DELETE @/purposes/:uid'),
  'purposes:list': shows('GET @/purposes'),
  'purposes:set': changes('PUT @/purposes/:uid'),
  'push-templates:create': changes('POST @/push-templates'),
  'push-templates:delete': changes('DELETE @/push-templates/:uid'),
  'push-templates:import': changes('POST @/push-templates'),
  'push-templates:list': shows('GET @/push-templates'),
  'push-templates:preview': showsPeople('POST @/push-templates/:uid/preview'),
  'push-templates:show': showsPeople('GET @/push-templates/:uid'),
  'push-templates:update': changes('PUT @/push-templates/:uid'),
  'push-templates:versions': shows('GET @/push-templates/:uid/versions'),
  'push:preview': {
    ...showsPeople('POST @/notifications/preview'),
    onlyWith: ['--user', '--install', '--sample'],
  },
  'push:test': changesPeople('POST @/push-tries'),
  release: changes('operate', 'server'),
  restore: 'machine',
  routes: 'anywhere',
  sandbox: 'machine',
  'schedules:cancel': changes('DELETE @/scheduled-notifications/:id'),
  'schedules:list': showsPeople('GET @/scheduled-notifications'),
  'schedules:preview': shows('GET @/scheduled-notifications'),
  'schedules:send-now': changesPeople('PATCH @/notifications/:id'),
  'schedules:update': changesPeople('PATCH @/notifications/:id'),
  'segments:count': changesPeople('POST @/segments/:id/count'),
  'segments:create': changesPeople('POST @/segments'),
  'segments:delete': changes('DELETE @/segments/:id'),
  'segments:list': showsPeople('GET @/segments'),
  'segments:preview': showsPeople('GET @/segments/:id/preview'),
  'segments:show': showsPeople('GET @/segments/:id'),
  'segments:update': changesPeople('PUT @/segments/:id'),
  'series:end': changesPeople('POST @/series/:id/end'),
  'series:list': showsPeople('GET @/series'),
  'series:pause': changesPeople('POST @/series/:id/pause'),
  'series:resume': changesPeople('POST @/series/:id/resume'),
  'series:show': showsPeople('GET @/series/:id'),
  serve: 'machine',
  status: shows('GET /health', 'server'),
  'suppressions:add': changesPeople('PUT @/suppressions/:identifier'),
  'suppressions:import': changesPeople('POST @/suppressions'),
  'suppressions:list': showsPeople('GET @/suppressions'),
  'suppressions:delete': changesPeople('DELETE @/suppressions/:identifier'),
  'suppressions:show': showsPeople('GET @/suppressions/:identifier'),
  'tables:alter': changes('POST @/tables/:tableAlias/changes'),
  'tables:create': changes('POST @/tables'),
  'tables:delete': changes('DELETE @/tables/:tableAlias'),
  'tables:export': showsPeople('GET @/tables/:tableAlias/export'),
  'tables:import': changesPeople('POST @/tables/:tableAlias/imports'),
  'tables:list': showsPeople('GET @/tables'),
  'tables:show': showsPeople('GET @/tables/:tableAlias'),
  'templates:create': changes('POST @/templates'),
  'templates:delete': changes('DELETE @/templates/:uid'),
  'templates:list': shows('GET @/templates'),
  'templates:preview': showsPeople('POST @/templates/:uid/preview'),
  'templates:show': showsPeople('GET @/templates/:uid'),
  'templates:starters': 'anywhere',
  'templates:update': changes('PUT @/templates/:uid'),
  'templates:versions': shows('GET @/templates/:uid/versions'),
  'users:delete': changesPeople('DELETE @/users/:userId'),
  // It changes nothing, but who took personal data out belongs in the audit log.
  'users:export': changesPeople('GET @/users/:userId/export'),
  'users:import': changesPeople('POST @/users/import'),
  'users:list': showsPeople('GET @/users'),
  'users:purposes': changesPeople('PUT @/users/:userId/choices'),
  'users:show': showsPeople('GET @/users/:userId'),
  'users:sign': confirmed(changesPeople('operate')),
  version: 'anywhere',
  'webhooks:attempts': showsPeople('GET @/webhooks/:id/attempts'),
  'webhooks:create': changes('POST @/webhooks'),
  'webhooks:delete': changes('DELETE @/webhooks/:id'),
  'webhooks:list': shows('GET @/webhooks'),
  'webhooks:replay': changes('POST @/webhooks/:id/replay'),
  'webhooks:rotate': changes('POST @/webhooks/:id/rotate'),
  'webhooks:show': shows('GET @/webhooks/:id'),
  'webhooks:test': changes('POST @/webhooks/:id/test'),
  'webhooks:update': changes('PATCH @/webhooks/:id'),
  whoami: 'anywhere',
  worker: 'machine',
}

/** The refusal of a command about the machine. */
export const ONLY_THERE = "works only on the server's own machine"

/** `appsvc channels list` */
export const named = (id: string): string => ['appsvc', ...id.split(':')].join(' ')
