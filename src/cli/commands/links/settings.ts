import { Flags, type Interfaces } from '@oclif/core'
import { AppError } from '../../../platform/errors.ts'
import { optionalAppArg } from '../../input/args.ts'
import { checked } from '../../input/checked.ts'
import { parseDuration } from '../../input/duration.ts'
import { readInput } from '../../input/files.ts'
import { inFlagNames } from '../../input/flag-names.ts'
import { appCommand } from '../../kinds/app-command.ts'

/** Clears a setting. */
const OFF = 'off'

const settingsFlags = {
  domain: Flags.string({ helpValue: 'HOST', description: "the app's own host name for links" }),
  'ios-team': Flags.string({ helpValue: 'TEAM', description: 'Apple team id, 10 characters' }),
  'ios-bundle': Flags.string({ helpValue: 'ID', multiple: true, description: 'bundle identifier; may be repeated' }),
  'android-package': Flags.string({ helpValue: 'NAME', description: 'package name' }),
  'android-sha256': Flags.string({
    helpValue: 'FINGERPRINT',
    multiple: true,
    description:
      'SHA-256 fingerprint of a signing certificate: that of Play Console and those of test builds; may be repeated',
  }),
  'app-store-url': Flags.string({ helpValue: 'URL', description: 'page of the app in the App Store' }),
  'play-store-url': Flags.string({ helpValue: 'URL', description: 'page of the app in Google Play' }),
  'fingerprint-window': Flags.string({
    helpValue: 'TIME',
    description: 'how long after a tap a first start on a similar device matches it: 10m, 1h; or off',
  }),
  icon: Flags.string({
    helpValue: 'FILE',
    description: 'icon of the app for the jump page: PNG, JPEG or WebP of at most 24 kB',
  }),
  color: Flags.string({ helpValue: 'COLOR', description: "the app's colour on the jump page, such as #0b6157" }),
  clipboard: Flags.boolean({
    allowNo: true,
    description: 'let the jump page copy the link for the first start of the app',
  }),
  code: Flags.boolean({
    allowNo: true,
    description: 'show computers a page with a QR code of the link instead of sending them on at once',
  }),
}

export const LinksSettings = appCommand({
  summary: 'Show or change the host name of the links of an app and the apps they open',
  description:
    'Without flags, prints the current settings. The value "off" clears a setting. A flag that may be repeated replaces the whole list. docs/links.md explains DNS and certificates; appsvc links check tests them.',
  examples: [
    'appsvc links settings --app 1',
    'appsvc links settings --app 1 --domain go.example.com',
    'appsvc links settings --app 1 --ios-team ABCDE12345 --ios-bundle com.example.app --app-store-url https://apps.apple.com/app/id123456789',
    'appsvc links settings --app 1 --domain off --fingerprint-window 1h',
  ],
  args: { app: optionalAppArg },
  flags: settingsFlags,
  async read({ flags, io }) {
    const { fromLinkSettingsForm, iconUrlOf, linkSettingsForm } = await import(
      '../../../domain/links/settings/settings.ts'
    )
    const form = formOf(flags)
    if (flags.icon !== undefined) {
      form.icon = flags.icon === OFF ? null : iconUrlOf(await readInput(io, flags.icon, '--icon'))
      if (form.icon === undefined)
        throw new AppError('bad_request', `--icon: ${flags.icon} is no PNG, JPEG or WebP image`)
    }
    const change = await inFlagNames(NAMES, async () => fromLinkSettingsForm(await checked(linkSettingsForm, form)))
    return { change, isChange: Object.keys(form).length > 0 }
  },
  async work({ program, chosen: { id, name }, input: { change, isChange }, out }) {
    const { presentLinkSettings } = await import('../../../present/api/links.ts')
    const site = isChange
      ? await inFlagNames(NAMES, () => program.inTransaction((tx) => tx.links.configure(id, change)))
      : await program.links.site(id)
    const { settings } = site
    const base = program.links.baseOf(site)
    out.value(presentLinkSettings(site, base))
    const listed = (values: readonly string[]) => values.join(', ') || 'none'
    out.fields({
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
      icon:
        settings.icon === null
          ? 'none'
          : `${settings.icon.slice('data:'.length, settings.icon.indexOf(';'))}, ${settings.icon.length} characters`,
      colour: settings.color ?? 'none',
      clipboard: settings.offersClipboard ? 'offered' : 'not offered',
      computers: settings.offersCode ? 'get a page with a QR code' : 'are sent on at once',
    })
  },
})

/** Field of the form -> flag, for flags whose value is the field's. */
const FLAGS = {
  domain: 'domain',
  iosTeamId: 'ios-team',
  iosBundleIds: 'ios-bundle',
  androidPackage: 'android-package',
  androidSha256: 'android-sha256',
  appStoreUrl: 'app-store-url',
  playStoreUrl: 'play-store-url',
  color: 'color',
} as const

/** Field of the form -> flag. */
const NAMES = {
  ...FLAGS,
  fingerprintWindow: 'fingerprint-window',
  offersClipboard: 'clipboard',
  offersCode: 'code',
  icon: 'icon',
}

function formOf(flags: Interfaces.InferredFlags<typeof settingsFlags>): Record<string, unknown> {
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
  if (flags.code !== undefined) form.offersCode = flags.code
  return form
}
