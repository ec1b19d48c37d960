import type { CommandRight } from '../../server/admin/command-runner.ts'

/**
 * How a command runs for somebody on another machine. `app`: in one app, in which the person needs the right. `server`: the
 * person needs the right on the whole server. `apps`: it shows the apps in which the person has a role.
 */
export interface Served {
  right: CommandRight
  in: 'app' | 'server' | 'apps'
  /** It changes something: the audit log says so. */
  writes: boolean
  /** It shows personal data: not for those who see it masked. */
  people: boolean
  /** A personal token needs the scope `confirmed`, because the console asks for a fresh sign-in here. */
  confirmed?: true
  /** It goes on until Ctrl-C, which is no failure then. */
  follows?: true
}

/** `machine`: about the machine it runs on. `anywhere`: it needs no server, and answers the same on every machine. */
export type Place = Served | 'machine' | 'anywhere'

const shows = (where: Served['in'] = 'app'): Served => ({ right: 'see', in: where, writes: false, people: false })
const showsPeople = (right: CommandRight = 'see'): Served => ({ right, in: 'app', writes: false, people: true })
const looks = (right: CommandRight, where: Served['in'] = 'app'): Served => ({
  right,
  in: where,
  writes: false,
  people: false,
})
const changes = (right: CommandRight, where: Served['in'] = 'app'): Served => ({
  right,
  in: where,
  writes: true,
  people: false,
})
/** What cannot be undone, and what opens doors. */
const confirmed = (served: Served): Served => ({ ...served, confirmed: true })
/** Changes, and shows the people whom it is about. */
const changesPeople = (right: CommandRight): Served => ({ right, in: 'app', writes: true, people: true })

/** Every command: who may run it from another machine. A test holds that none is missing. */
export const PLACES: Readonly<Record<string, Place>> = {
  'admins:create': confirmed(changes('own', 'server')),
  'admins:list': looks('own', 'server'),
  'admins:reset': confirmed(changes('own', 'server')),
  'admins:revoke': confirmed(changes('own', 'server')),
  'admins:roles': confirmed(changes('own', 'server')),
  'apps:create': changes('own', 'server'),
  'apps:delete': confirmed(changes('own')),
  'apps:identity': confirmed(changes('operate')),
  'apps:keys:rotate': confirmed(changes('operate')),
  'apps:list': shows('apps'),
  'apps:rename': changes('operate'),
  'apps:restrain': changes('operate'),
  'apps:show': shows(),
  audit: looks('own', 'server'),
  backup: 'machine',
  'banners:create': changes('campaign'),
  'banners:delete': changes('campaign'),
  'banners:list': shows(),
  'banners:show': shows(),
  'banners:update': changes('campaign'),
  certificates: shows('server'),
  'certificates:renew': changes('operate', 'server'),
  'channels:create': changes('campaign'),
  'channels:delete': changes('campaign'),
  'channels:import': changesPeople('campaign'),
  'channels:imports': showsPeople(),
  'channels:list': shows(),
  'channels:show': shows(),
  'channels:subscriptions': showsPeople(),
  'channels:update': changes('campaign'),
  'checkins:list': showsPeople(),
  completion: 'anywhere',
  'config:check': 'machine',
  'config:show': 'machine',
  'crashes:list': showsPeople(),
  'crashes:show': showsPeople(),
  'db:copy': 'machine',
  demo: 'machine',
  doctor: 'machine',
  'events:settings': changes('operate'),
  'events:tail': { ...showsPeople(), follows: true },
  'gateways:check': looks('operate'),
  'gateways:remove': changes('operate'),
  'gateways:set': changes('operate'),
  'gateways:show': shows(),
  'geofences:create': changes('campaign'),
  'geofences:delete': changes('campaign'),
  'geofences:list': shows(),
  'geofences:show': showsPeople(),
  'geofences:update': changes('campaign'),
  'import:airship': changesPeople('operate'),
  'import:branch': changes('operate'),
  'import:csv': changesPeople('operate'),
  'import:drop': changes('operate'),
  'import:expo': changesPeople('operate'),
  'import:firebase': changesPeople('operate'),
  'import:list': shows(),
  'import:onesignal': changesPeople('operate'),
  'import:parse': changesPeople('operate'),
  'import:pinpoint': changesPeople('operate'),
  'in-app:list': shows(),
  'in-app:show': showsPeople(),
  'in-app:withdraw': changes('campaign'),
  init: 'machine',
  'installs:delete': confirmed(changesPeople('operate')),
  'installs:list': showsPeople(),
  'installs:show': showsPeople(),
  'keys:create': confirmed(changes('operate')),
  'keys:list': looks('operate'),
  'keys:revoke': confirmed(changes('operate')),
  'keys:rotate': 'machine',
  'links:check': looks('operate', 'server'),
  'links:create': changes('campaign'),
  'links:delete': changes('campaign'),
  'links:import': changes('campaign'),
  'links:list': shows(),
  'links:qr': shows(),
  'links:settings': changes('operate'),
  'links:show': shows(),
  'links:update': changes('campaign'),
  login: 'anywhere',
  logout: 'anywhere',
  man: 'anywhere',
  'metrics:delete': changes('operate'),
  'metrics:list': shows(),
  'metrics:set': changes('operate'),
  'metrics:show': shows(),
  'migrate:down': 'machine',
  'migrate:status': 'machine',
  'migrate:up': 'machine',
  nodes: shows('server'),
  'notifications:list': shows(),
  'notifications:recipients': showsPeople(),
  'notifications:show': showsPeople(),
  'notifications:trace': showsPeople(),
  notify: changesPeople('campaign'),
  openapi: 'anywhere',
  'prompts:create': changes('campaign'),
  'prompts:delete': changes('campaign'),
  'prompts:list': shows(),
  'prompts:show': shows(),
  'prompts:update': changes('campaign'),
  'purposes:delete': changes('operate'),
  'purposes:list': shows(),
  'purposes:set': changes('operate'),
  'push:preview': 'anywhere',
  'push:test': changesPeople('campaign'),
  release: changes('operate', 'server'),
  restore: 'machine',
  routes: 'anywhere',
  sandbox: 'machine',
  'schedules:cancel': changes('campaign'),
  'schedules:list': shows(),
  'schedules:preview': shows(),
  'segments:create': changes('campaign'),
  'segments:delete': changes('campaign'),
  'segments:list': shows(),
  'segments:preview': showsPeople(),
  'segments:show': shows(),
  'segments:update': changes('campaign'),
  serve: 'machine',
  status: shows('server'),
  'suppressions:add': changesPeople('operate'),
  'suppressions:import': changesPeople('operate'),
  'suppressions:list': showsPeople(),
  'suppressions:remove': changesPeople('operate'),
  'suppressions:show': showsPeople(),
  'tables:alter': changes('own'),
  'tables:create': changes('operate'),
  'tables:drop': confirmed(changes('own')),
  'tables:export': showsPeople('campaign'),
  'tables:import': changesPeople('campaign'),
  'tables:list': shows(),
  'tables:show': shows(),
  'templates:create': changes('campaign'),
  'templates:delete': changes('campaign'),
  'templates:list': shows(),
  'templates:preview': showsPeople(),
  'templates:show': shows(),
  'templates:starters': 'anywhere',
  'templates:update': changes('campaign'),
  'templates:versions': shows(),
  'users:erase': confirmed(changesPeople('operate')),
  // It changes nothing, but who took personal data out belongs in the audit log.
  'users:export': changesPeople('operate'),
  'users:list': showsPeople(),
  'users:purposes': changesPeople('operate'),
  'users:show': showsPeople(),
  'users:sign': confirmed(changesPeople('operate')),
  version: 'anywhere',
  'webhooks:attempts': showsPeople('operate'),
  'webhooks:create': changes('operate'),
  'webhooks:delete': changes('operate'),
  'webhooks:list': looks('operate'),
  'webhooks:replay': changes('operate'),
  'webhooks:rotate': confirmed(changes('operate')),
  'webhooks:show': looks('operate'),
  'webhooks:test': changes('operate'),
  'webhooks:update': changes('operate'),
  whoami: 'anywhere',
  worker: 'machine',
}

/** What is said of a command about the machine. */
export const ONLY_THERE = "works only on the server's own machine"

/** `appsvc channels list` */
export const named = (id: string): string => ['appsvc', ...id.split(':')].join(' ')
