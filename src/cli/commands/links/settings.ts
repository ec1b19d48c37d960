import { Flags } from '@oclif/core'
import type { LinkSettingsChange } from '../../../domain/links/settings/settings.ts'
import { AppError } from '../../../platform/errors.ts'
import { chooseApp } from '../../input/app.ts'
import { parseDuration } from '../../input/duration.ts'
import { BaseCommand, textArg } from '../../kinds/base.ts'

/** Clears a setting. */
const OFF = 'off'

export class LinksSettings extends BaseCommand {
  static override summary = 'Show or change where the links of an app are reached and which apps they open'
  static override description =
    'Without flags: shows what is set. A value of "off" clears. Flags that may be given several times replace the whole list. docs/links.md explains DNS and certificates; appsvc links check says whether it works.'
  static override examples = [
    '<%= config.bin %> links settings 1',
    '<%= config.bin %> links settings 1 --domain go.example.com',
    '<%= config.bin %> links settings 1 --ios-team ABCDE12345 --ios-bundle com.example.app --app-store-url https://apps.apple.com/app/id123456789',
    '<%= config.bin %> links settings 1 --domain off --fingerprint-window 1h',
  ]
  static override args = { app: textArg({ description: 'id or name; not needed while there is only one app' }) }
  static override flags = {
    domain: Flags.string({ helpValue: 'HOST', description: "the app's own host name for links" }),
    'ios-team': Flags.string({ helpValue: 'TEAM', description: 'Apple team id, 10 characters' }),
    'ios-bundle': Flags.string({ helpValue: 'ID', multiple: true, description: 'bundle identifier; several times' }),
    'android-package': Flags.string({ helpValue: 'NAME', description: 'package name' }),
    'android-sha256': Flags.string({
      helpValue: 'FINGERPRINT',
      multiple: true,
      description: 'of a signing certificate: the one of Play Console, and that of test builds; several times',
    }),
    'app-store-url': Flags.string({ helpValue: 'URL', description: 'page of the app in the App Store' }),
    'play-store-url': Flags.string({ helpValue: 'URL', description: 'page of the app in Google Play' }),
    'fingerprint-window': Flags.string({
      helpValue: 'TIME',
      description: 'how long a tap waits for a first start that looks like the same device: 10m, 1h; off',
    }),
    clipboard: Flags.boolean({
      allowNo: true,
      description: 'let the jump page copy the link for the first start of the app',
    }),
  }

  async run(): Promise<void> {
    const { args, flags } = await this.parse(LinksSettings)
    const [{ fromLinkSettingsForm, linkSettingsForm }, { parseJson }, { presentLinkSettings }] = await Promise.all([
      import('../../../domain/links/settings/settings.ts'),
      import('../../../platform/parse.ts'),
      import('../../../server/present/links.ts'),
    ])
    const form = formOf(flags)
    let change: LinkSettingsChange
    try {
      change = fromLinkSettingsForm(parseJson(linkSettingsForm, form))
    } catch (error) {
      throw named(error)
    }
    const app = await this.open(flags)
    const { id, name } = await chooseApp(app, args.app)
    const isChange = Object.keys(form).length > 0
    const site = isChange
      ? await app.inTransaction((tx) => tx.links.configure(id, change)).catch((error) => Promise.reject(named(error)))
      : await app.links.site(id)
    const { settings } = site
    const base = app.links.baseOf(site)
    this.out.value(presentLinkSettings(site, base))
    const listed = (values: readonly string[]) => values.join(', ') || 'none'
    this.out.fields({
      app: `${id} ${name}`,
      links: `${base}/…`,
      subdomain: settings.subdomain,
      domain: settings.domain ?? 'none',
      'iOS team': settings.iosTeamId ?? 'none',
      'iOS bundles': listed(settings.iosBundleIds),
      'App Store': settings.appStoreUrl ?? 'none',
      'Android package': settings.androidPackage ?? 'none',
      'Android SHA-256': listed(settings.androidSha256),
      'Google Play': settings.playStoreUrl ?? 'none',
      'fingerprint window': settings.fingerprintWindow === 0 ? 'off' : `${settings.fingerprintWindow} s`,
      clipboard: settings.offersClipboard ? 'offered' : 'not offered',
    })
  }
}

interface Given {
  domain?: string | undefined
  'ios-team'?: string | undefined
  'ios-bundle'?: string[] | undefined
  'android-package'?: string | undefined
  'android-sha256'?: string[] | undefined
  'app-store-url'?: string | undefined
  'play-store-url'?: string | undefined
  'fingerprint-window'?: string | undefined
  clipboard?: boolean | undefined
}

/** Field of the form -> flag. */
const FLAGS = {
  domain: 'domain',
  iosTeamId: 'ios-team',
  iosBundleIds: 'ios-bundle',
  androidPackage: 'android-package',
  androidSha256: 'android-sha256',
  appStoreUrl: 'app-store-url',
  playStoreUrl: 'play-store-url',
} as const

function formOf(flags: Given): Record<string, unknown> {
  const form: Record<string, unknown> = {}
  for (const [field, flag] of Object.entries(FLAGS)) {
    const value = flags[flag]
    if (value === undefined) continue
    if (Array.isArray(value)) form[field] = value.length === 1 && value[0] === OFF ? [] : value
    else form[field] = value === OFF ? null : value
  }
  const window = flags['fingerprint-window']
  if (window !== undefined) {
    form.fingerprintWindow = window === OFF ? 0 : Math.floor(parseDuration(window, '--fingerprint-window') / 1000)
  }
  if (flags.clipboard !== undefined) form.offersClipboard = flags.clipboard
  return form
}

/** The same error in the words of this command: people gave flags, not fields. */
function named(error: unknown): unknown {
  if (!(error instanceof AppError) || !error.details.fields) return error
  const names: Record<string, string> = {
    ...FLAGS,
    fingerprintWindow: 'fingerprint-window',
    offersClipboard: 'clipboard',
  }
  const fields = Object.entries(error.details.fields).map(([path, messages]) => {
    const field = path.replace(/\[\d+\]$/, '')
    return [names[field] === undefined ? path : `--${names[field]}`, messages] as const
  })
  const merged: Record<string, string[]> = {}
  for (const [name, messages] of fields) merged[name] = [...(merged[name] ?? []), ...messages]
  return new AppError(error.code, error.message, { ...error.details, fields: merged })
}
