import { Flags } from '@oclif/core'
import { ALLOW_DUPLICATE, allowDuplicateFlag, optionalAppArg, timezoneFlag } from '../../input/args.ts'
import { checked } from '../../input/checked.ts'
import { inFlagNames } from '../../input/flag-names.ts'
import { appCommand } from '../../kinds/app-command.ts'
import { presentApp } from '../../output/present.ts'

/** Clears a setting. */
const OFF = 'off'
/** Field of an app -> flag. */
const NAMES = { name: 'name', timezone: 'timezone', iconUrl: 'icon' }

export const AppsSettings = appCommand({
  summary: 'Show or change the name, the time zone and the icon of an app',
  description:
    'Without flags, prints the current settings. The value "off" clears a setting. The console plans sends in the time zone, and shows the ' +
    "days of reports in it; without one it uses that of each person's browser. Requests to the interface keep naming their own. The icon " +
    'marks the app in the console and on the pages of its links.',
  examples: [
    'appsvc apps settings 1',
    'appsvc apps settings 1 --timezone Europe/Berlin',
    'appsvc apps settings 1 --icon 4f9c2b7e8d1a4c53b6e0f7a912d8c3e4',
    'appsvc apps settings 1 --timezone off --icon off',
  ],
  subject: true,
  args: { app: optionalAppArg },
  flags: {
    name: Flags.string({ description: 'new name, as in appsvc apps rename' }),
    'allow-duplicate': allowDuplicateFlag,
    timezone: timezoneFlag,
    icon: Flags.string({
      helpValue: 'PICTURE',
      description: 'uid or address of the picture that is the icon (appsvc pictures list)',
    }),
  },
  async read({ flags: { name, timezone, icon } }) {
    const { changeApp, fromAppForm } = await import('../../../domain/apps/schema.ts')
    const orNull = (value: string) => (value === OFF ? null : value)
    const form = {
      ...(name !== undefined && { name }),
      ...(timezone !== undefined && { timezone: orNull(timezone) }),
      ...(icon !== undefined && { iconUrl: orNull(icon) }),
    }
    return inFlagNames(NAMES, async () => fromAppForm(await checked(changeApp, form)))
  },
  async work({ program, chosen, appId, input: { name, timezone, iconUrl }, flags, io, out }) {
    const app = await inFlagNames(NAMES, () =>
      program.inTransaction(async (tx) => {
        if (name === undefined && timezone === undefined && iconUrl === undefined) return chosen
        if (name !== undefined && !flags['allow-duplicate']) {
          await tx.apps.refuseTaken(name, { itself: appId, sees: io.caller?.sees, remedy: ALLOW_DUPLICATE })
        }
        if (iconUrl !== undefined) await tx.pictures.setIcon(appId, iconUrl)
        return tx.apps.change(appId, { name, timezone })
      }),
    )
    const shown = await presentApp(program, app)
    out.value(shown)
    out.fields({ app: `${appId} ${app.name}`, 'time zone': shown.timezone ?? 'none', icon: shown.iconUrl ?? 'none' })
  },
})
