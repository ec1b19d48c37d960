import { appFlag, textArg } from '../../input/args.ts'
import { typedId } from '../../input/typed-id.ts'
import { appCommand } from '../../kinds/app-command.ts'

export const InAppSendNow = appCommand({
  summary: 'Send a scheduled in-app message now, to everybody at once, with its push',
  description: 'Possible until its first due time. What it says and to whom stays as it is.',
  examples: ['appsvc in-app send-now 12'],
  args: { id: textArg({ required: true, description: 'in-app message id' }) },
  flags: { app: appFlag },
  read: ({ args }) => typedId(args.id, 'an in-app message'),
  async work({ input: id, ...job }) {
    const [{ editMessage }, { SEND_NOW }] = await Promise.all([
      import('./edit.ts'),
      import('../../../domain/schedules/edit.ts'),
    ])
    await editMessage(job, id, SEND_NOW)
  },
})
