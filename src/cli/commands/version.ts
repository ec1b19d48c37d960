import packageJson from '../../../package.json' with { type: 'json' }
import { BaseCommand } from '../kinds/base.ts'

export class Version extends BaseCommand {
  static override summary = 'Print the version'
  static override examples = ['appsvc version', 'appsvc version --json']

  async run(): Promise<void> {
    await this.parse(Version)
    const { version } = packageJson
    this.out.value({ version, node: process.versions.node })
    this.out.line(`appsvc ${version}`)
  }
}
