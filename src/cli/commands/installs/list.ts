import { Flags } from '@oclif/core'
import { readPage } from '../../../platform/db/pages.ts'
import { appFlag } from '../../input/args.ts'
import { appCommand } from '../../kinds/app-command.ts'
import { pageFlags, showPage } from '../../kinds/list-command.ts'
import { shortTime } from '../../output/present.ts'

const { limit } = pageFlags()

export const InstallsList = appCommand({
  summary: 'List installs, oldest first',
  examples: ['appsvc installs list', 'appsvc installs list --limit 1000 --json'],
  flags: {
    app: appFlag,
    // Unlike other lists it accepts 0, which starts at the beginning.
    after: Flags.integer({
      default: 0,
      min: 0,
      helpValue: 'NEXT',
      description: 'continue after the previous page, given its "next"',
    }),
    limit,
  },
  async work({ program, appId, flags, out }) {
    const { presentWholeInstall } = await import('../../../present/api/crm.ts')
    const { rows: installs, last } = await readPage(flags.limit, (most) =>
      program.crm.listInstalls(appId, flags.after, most),
    )
    const next = last?.row ?? null
    out.value({ installs: installs.map(presentWholeInstall), next })
    showPage(
      out,
      ['INSTALL', 'OS', 'SDK', 'APP', 'PUSH', 'LAST ACTIVE'],
      installs.map((install) => [
        install.installId,
        [install.os, install.osVersion].filter(Boolean).join(' ') || null,
        [install.sdkType, install.sdkVersion].filter(Boolean).join(' ') || null,
        install.appVersion,
        install.subscribed ? 'yes' : 'no',
        shortTime(install.lastActive),
      ]),
      { after: flags.after || undefined, next, things: 'installs', none: 'There are no installs yet.' },
    )
  },
})
