import { appArg, textArg } from '../../input/args.ts'
import { appCommand } from '../../kinds/app-command.ts'
import { linkHostOf, presentApp } from '../../output/present.ts'

export const AppsRename = appCommand({
  summary: 'Rename an app',
  examples: ['appsvc apps rename 1 "Better name"'],
  args: { app: appArg, name: textArg({ required: true, description: 'new name' }) },
  async read({ args }) {
    const [{ createApp }, { parseText }] = await Promise.all([
      import('../../../domain/apps/schema.ts'),
      import('../../../platform/parse.ts'),
    ])
    return parseText(createApp, { name: args.name })
  },
  async work({ app, appId, input: { name }, out }) {
    const renamed = await app.inTransaction((tx) => tx.apps.rename(appId, name))
    out.value(presentApp(renamed, await linkHostOf(app, appId)))
    out.fields({ app: `${appId} ${renamed.name}` })
  },
})
