import { suggest } from '../../platform/text/suggest.ts'

/** Words of other products and tools, by the command or the first word of commands that does it here. */
export const OTHER_WORDS: Readonly<Record<string, string>> = {
  notify:
    'send publish broadcast blast message messages notification send-push push-send push-new push-create compose newsletter news ' +
    'notifications-send notifications-create campaign-create campaigns-create in-app-send in-app-create in-app-new inapp-send iam-send ' +
    'series-create series-new',
  'notifications list': 'pushes campaign campaigns deliveries sent',
  'notifications show':
    'report reports results analytics statistics notifications-report notifications-stats notifications-statistics',
  'notifications trace': 'why explain trace not-arrived',
  'push test': 'test-push push-test test try',
  'push preview': 'render payload payloads preview',
  'in-app list': 'inapp inbox iam popups popup modal modals',
  'schedules list': 'cron scheduled jobs queue',
  'schedules cancel': 'cancel unsend notifications-cancel notifications-delete',
  'schedules update': 'reschedule notifications-edit notifications-update',
  'series list': 'recurring repeat drip automation automations workflow workflows journey journeys',
  'labels list': 'tags tag campaign-report',
  pictures: 'images image media assets upload photos',
  'push-templates list': 'snippets',
  'users list': 'contacts customers profiles',
  'users show': 'attributes attribute traits',
  'users delete': 'gdpr erase forget',
  'users export': 'sar subject-access takeout',
  'users import': 'import-users users-create users-add users-set users-update attributes-set',
  admins: 'people team members accounts staff operators person',
  'admins create': 'invite admins-invite users-invite',
  'admins roles': 'permissions rights roles grant',
  'admins reset': 'password passwd 2fa mfa passkey passkeys admins-passwd admins-password',
  installs: 'devices device phones registrations',
  'channels list': 'topics lists',
  'channels subscriptions': 'subscribers subscribe subscriptions',
  'channels import': 'channels-subscribe channels-add-subscribers subscribers-import',
  'segments list': 'audiences audience filters cohorts',
  'segments count': 'users-count size reach',
  'geofences list': 'places fences locations regions',
  'purposes list': 'consent preferences opt-in',
  'suppressions list': 'blocklist blacklist denylist unsubscribe unsubscribed opt-out',
  'suppressions add': 'suppress block ban users-block users-ban users-suppress',
  'suppressions delete': 'unblock unban unsuppress',
  'apps restrain':
    'quiet-hours quiethours silence dnd cap caps rate frequency-cap frequency throttle rate-limit limits rules confirmation approvals approval',
  'apps create': 'new-app create-app projects',
  'apps show': 'app-info',
  'apps settings': 'timezone time-zone zone apps-update apps-edit apps-set icon',
  'apps identity': 'signing-keys signing jwt identity',
  'apps quickstart': 'sdk sdks clients client',
  'gateways set': 'apns fcm firebase vapid hms credentials p8 p12 providers',
  'gateways show': 'gateways-list',
  'gateways check': 'gateways-test gateways-verify',
  'links create': 'deeplink deeplinks shorten url urls shortlink',
  'links show': 'clicks links-stats links-statistics',
  'links qr': 'qr qrcode qr-code',
  'links check': 'dns app-site-association assetlinks',
  'links settings': 'domain domains',
  'webhooks list': 'hooks callbacks',
  'webhooks replay': 'webhooks-retry webhooks-resend',
  'events tail': 'logs log stream activity tail events-list events-show events-search events-export',
  'crashes list': 'exceptions errors issues bugs',
  audit: 'history who audit-log',
  'keys create': 'token tokens apikey api-key secret secrets',
  'tables list': 'data records collections rows query sql',
  'import csv': 'migrate-from',
  'import onesignal': 'onesignal onesignal-import',
  'import airship': 'airship urbanairship',
  serve: 'start run server up daemon listen service console dashboard ui webui',
  init: 'setup configure bootstrap',
  status: 'stats info top about',
  load: 'monitor monitoring charts cpu prometheus',
  doctor: 'health check healthcheck diagnose ping verify debug',
  demo: 'playground try-out',
  backup: 'dump snapshot backups-create db-backup',
  'backups verify': 'backup-verify',
  restore: 'db-restore backup-restore backups-restore',
  'config show': 'settings env configuration options config-list config-get config-set config-edit',
  'config check': 'validate lint',
  'migrate up': 'upgrade update',
  'migrate status': 'migrations schema rollback downgrade',
  nodes: 'ps cluster processes',
  certificates: 'tls ssl https cert certs letsencrypt',
  whoami: 'me',
  'banners list': 'smart-banner smart-banners',
  login: 'signin sign-in auth connect',
  logout: 'signout sign-out',
  sandbox: 'mock emulator fake simulator simulate',
  openapi: 'swagger api',
  man: 'manual docs documentation',
  completion: 'autocomplete completions',
}

/** Words for what is not a command here, of which each is near to one that is: no guess is better than a wrong one. */
const NOT_HERE = new Set(
  'restart stop reload kill uninstall seed silent changelog confirm abtest ab-test sso saml oauth ldap fixtures list show get set add new create edit update'.split(
    ' ',
  ),
)

/** The shortest word that counts as mistyped: `dns` is none of `dnd`. */
const SHORTEST_TYPO = 4

const MEANT = new Map(
  Object.entries(OTHER_WORDS).flatMap(([id, words]) => words.split(' ').map((word): [string, string] => [word, id])),
)

/** The command that stands here for a word of other products: or the first word of several; undefined when none does. */
export function meantBy(word: string): string | undefined {
  return MEANT.get(word)
}

/** The same for a word that was mistyped; undefined when no word is near. */
export function meantByTypo(word: string): string | undefined {
  if (word.length < SHORTEST_TYPO) return undefined
  // By distance alone: what begins with a word is seldom what was meant by it.
  const near = suggest(
    word,
    [...MEANT.keys()].filter((known) => Math.abs(known.length - word.length) <= 2),
  )
  return near === undefined ? undefined : MEANT.get(near)
}

/** Tells whether nothing here is meant by a word, whatever is near to it. */
export function meansNothing(word: string): boolean {
  return NOT_HERE.has(word)
}
