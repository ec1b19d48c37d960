import { Flags } from '@oclif/core'
import { chooseApp } from '../../input/app.ts'
import { templateArgs } from '../../input/template.ts'
import { BaseCommand } from '../../kinds/base.ts'
import { printable } from '../../output/output.ts'

export class TemplatesDelete extends BaseCommand {
  static override summary = 'Delete a template with all its versions; messages made from it stay'
  static override examples = ['<%= config.bin %> templates delete 1 welcome --yes']
  static override args = templateArgs
  static override flags = { yes: Flags.boolean({ char: 'y', description: 'do not ask' }) }

  async run(): Promise<void> {
    const { args, flags } = await this.parse(TemplatesDelete)
    const app = await this.open(flags)
    const { id } = await chooseApp(app, args.app)
    const { uid, name, version } = await app.templates.find(id, args.uid)
    const versions = version === 1 ? 'its one version' : `its ${version} versions`
    await this.out.confirm(`Delete template ${uid} (${printable(name)}) and ${versions} for good?`, flags.yes)
    await app.inTransaction((tx) => tx.templates.delete(id, uid))
    this.out.value({ uid, deleted: true })
    this.out.line(`Template ${uid} is deleted.`)
  }
}
