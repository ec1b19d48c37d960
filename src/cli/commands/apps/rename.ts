import { ALLOW_DUPLICATE, allowDuplicateFlag, subjectAppArg, textArg } from '../../input/args.ts'
import { appCommand } from '../../kinds/app-command.ts'
import { presentApp } from '../../output/present.ts'

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
  async work({ program, appId, flags, input: { name }, io, out }) {
    const renamed = await program.inTransaction(async (tx) => {
      const remedy = ALLOW_DUPLICATE
      if (!flags['allow-duplicate']) await tx.apps.refuseTaken(name, { itself: appId, sees: io.caller?.sees, remedy })
      return tx.apps.change(appId, { name })
    })
    out.value(await presentApp(program, renamed))
    out.fields({ app: `${appId} ${renamed.name}` })
  },
})
