import { BaseCommand } from '../../kinds/base.ts'

export class AppsList extends BaseCommand {
  static override summary = 'List the apps'
  static override examples = ['<%= config.bin %> apps list', '<%= config.bin %> apps list --json']

  async run(): Promise<void> {
    const { flags } = await this.parse(AppsList)
    const app = await this.open(flags)
    const { linkHostOf, presentApp, shortTime } = await import('../../output/present.ts')
    const apps = await app.apps.list()
    this.out.value(await Promise.all(apps.map(async (one) => presentApp(one, await linkHostOf(app, one.id)))))
    this.out.table(
      ['ID', 'NAME', 'CREATED'],
      apps.map((one) => [one.id, one.name, shortTime(one.createdAt)]),
      'There is no app yet: appsvc apps create NAME makes one.',
    )
  }
}
