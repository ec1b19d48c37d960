import { refuseDuplicate } from '../../input/app.ts'
import { allowDuplicateFlag, subjectAppArg, textArg } from '../../input/args.ts'
import { appCommand } from '../../kinds/app-command.ts'
import { linkHostOf, presentApp } from '../../output/present.ts'

export const AppsRename = appCommand({
  summary: 'Rename an app',
  examples: ['appsvc apps rename 1 "Better name"'],
  subject: true,
  args: { app: subjectAppArg, name: textArg({ required: true, description: 'new name' }) },
  flags: { 'allow-duplicate': allowDuplicateFlag },
  async read({ args }) {
    const [{ createApp }, { parseText }] = await Promise.all([
      import('../../../domain/apps/schema.ts'),
      import('../../../platform/values/parse.ts'),
    ])
    return parseText(createApp, { name: args.name })
  },
  async work({ program, appId, flags, input: { name }, out }) {
    const renamed = await program.inTransaction(async (tx) => {
      if (!flags['allow-duplicate']) await refuseDuplicate(tx, name, appId)
      return tx.apps.rename(appId, name)
    })
    out.value(presentApp(renamed, await linkHostOf(program, appId)))
    out.fields({ app: `${appId} ${renamed.name}` })
  },
})
