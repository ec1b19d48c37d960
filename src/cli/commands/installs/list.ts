import { Flags } from '@oclif/core'
import { readPage } from '../../../platform/db/pages.ts'
import { appFlag, chooseApp } from '../../input/app.ts'
import { BaseCommand } from '../../kinds/base.ts'

export class InstallsList extends BaseCommand {
  static override summary = 'List installs in the order in which they came'
  static override examples = ['<%= config.bin %> installs list', '<%= config.bin %> installs list --limit 1000 --json']
  static override flags = {
    app: appFlag,
    after: Flags.integer({
      default: 0,
      min: 0,
      helpValue: 'NEXT',
      description: 'go on where the page before ended (its next)',
    }),
    limit: Flags.integer({ default: 50, min: 1, max: 1000, helpValue: 'N', description: 'how many' }),
  }

  async run(): Promise<void> {
    const { flags } = await this.parse(InstallsList)
    const app = await this.open(flags)
    const { id } = await chooseApp(app, flags.app)
    const [{ presentInstall }, { shortTime }] = await Promise.all([
      import('../../../server/present/crm.ts'),
      import('../../output/present.ts'),
    ])
    const { rows: installs, last } = await readPage(flags.limit, (most) => app.crm.listInstalls(id, flags.after, most))
    const next = last?.row ?? null
    this.out.value({ installs: installs.map(presentInstall), next })
    this.out.table(
      ['INSTALL', 'OS', 'SDK', 'APP', 'PUSH', 'LAST ACTIVE'],
      installs.map((install) => [
        install.installId,
        [install.os, install.osVersion].filter(Boolean).join(' ') || null,
        [install.sdkType, install.sdkVersion].filter(Boolean).join(' ') || null,
        install.appVersion,
        install.subscribed ? 'yes' : 'no',
        shortTime(install.lastActive),
      ]),
      flags.after === 0 ? 'There are no installs yet.' : 'There are no more installs.',
    )
    if (next !== null) this.out.note(`there are more: --after ${next}`)
  }
}
