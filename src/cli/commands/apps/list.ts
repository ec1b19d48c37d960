import { BaseCommand } from '../../kinds/base.ts'
import { presentApp, shortTime } from '../../output/present.ts'

export class AppsList extends BaseCommand {
  static override summary = 'List the apps'
  static override examples = ['appsvc apps list', 'appsvc apps list --json']

  async run(): Promise<void> {
    const { flags } = await this.parse(AppsList)
    const program = await this.open(flags)
    const apps = (await program.apps.list()).filter(({ id }) => this.io.caller?.sees(id) ?? true)
    this.out.value(await Promise.all(apps.map((one) => presentApp(program, one))))
    this.out.table(
      ['ID', 'NAME', 'CREATED'],
      apps.map((one) => [one.id, one.name, shortTime(one.createdAt)]),
      'There are no apps yet. Create one with appsvc apps create NAME.',
    )
  }
}
