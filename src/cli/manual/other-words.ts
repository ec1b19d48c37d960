import { suggest } from '../../platform/text/suggest.ts'

/** Words of other products and tools, by the command or the first word of commands that does it here. */
export const OTHER_WORDS: Readonly<Record<string, string>> = {
  notify: 'send publish broadcast blast message messages notification send-push',
  'notifications list': 'pushes campaign campaigns deliveries sent',
  'push test': 'test-push',
  'push preview': 'render payload payloads',
  'in-app list': 'inapp inbox iam popups',
  'schedules list': 'cron scheduled jobs queue',
  'series list': 'recurring repeat',
  'labels list': 'tags tag campaign-report',
  'users list': 'contacts customers profiles',
  'users delete': 'gdpr',
  admins: 'people team members accounts staff operators person',
  'admins create': 'invite',
  'admins roles': 'permissions rights roles',
  'admins reset': 'password passwd 2fa mfa',
  installs: 'devices device phones registrations',
  'channels list': 'topics lists',
  'channels subscriptions': 'subscribers subscribe subscriptions',
  'segments list': 'audiences audience filters cohorts',
  'geofences list': 'places fences locations regions',
  'purposes list': 'consent preferences opt-in',
  'suppressions list': 'blocklist blacklist denylist unsubscribe unsubscribed opt-out',
  'apps restrain':
    'quiet-hours quiethours silence dnd caps frequency-cap frequency throttle rate-limit limits rules confirmation',
  'apps create': 'new-app create-app projects',
  'apps show': 'app-info',
  'gateways set': 'apns fcm firebase vapid credentials p8 p12 providers',
  'links create': 'deeplink deeplinks shorten url urls shortlink qrcode',
  'webhooks list': 'hooks callbacks',
  'events tail': 'logs log stream activity',
  audit: 'history who audit-log',
  'keys create': 'token tokens apikey api-key secret secrets',
  'tables list': 'data records collections',
  'import csv': 'migrate-from onesignal-import',
  serve: 'start run server up daemon listen',
  init: 'setup configure bootstrap',
  status: 'stats info top',
  doctor: 'health check healthcheck diagnose ping verify',
  backup: 'dump snapshot',
  'config show': 'settings env configuration options',
  'migrate up': 'upgrade update',
  nodes: 'ps cluster processes',
  certificates: 'tls ssl https cert certs letsencrypt',
  login: 'signin sign-in auth connect',
  logout: 'signout sign-out',
  sandbox: 'mock emulator fake simulator',
  openapi: 'swagger api',
  completion: 'autocomplete completions',
}

const MEANT = new Map(
  Object.entries(OTHER_WORDS).flatMap(([id, words]) => words.split(' ').map((word): [string, string] => [word, id])),
)

/** The command that stands here for a word of other products: or the first word of several; undefined when none does. */
export function meantBy(word: string): string | undefined {
  return MEANT.get(word)
}

/** The same for a word that was mistyped; undefined when no word is near. */
export function meantByTypo(word: string): string | undefined {
  // By distance alone: what begins with a word is seldom what was meant by it.
  const near = suggest(
    word,
    [...MEANT.keys()].filter((known) => Math.abs(known.length - word.length) <= 2),
  )
  return near === undefined ? undefined : MEANT.get(near)
}
