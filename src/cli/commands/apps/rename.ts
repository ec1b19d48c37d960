import { chooseApp } from '../../input/app.ts'
import { BaseCommand, textArg } from '../../kinds/base.ts'

export class AppsRename extends BaseCommand {
  static override summary = 'Give an app another name'
  static override examples = ['<%= config.bin %> apps rename 1 "Better name"']
  static override args = {
    app: textArg({ required: true, description: 'id or name' }),
    name: textArg({ required: true, description: 'the new name' }),
  }

  async run(): Promise<void> {
    const { args, flags } = await this.parse(AppsRename)
    const [{ createApp }, { parseText }, { linkHostOf, presentApp }] = await Promise.all([
      import('../../../domain/apps/schema.ts'),
      import('../../../platform/parse.ts'),
      import('../../output/present.ts'),
    ])
    const { name } = parseText(createApp, { name: args.name })
    const app = await this.open(flags)
    const found = await chooseApp(app, args.app)
    const renamed = await app.inTransaction((tx) => tx.apps.rename(found.id, name))
    this.out.value(presentApp(renamed, await linkHostOf(app, renamed.id)))
    this.out.fields({ app: `${renamed.id} ${renamed.name}` })
  }
}
