import { appFlag, textArg } from '../../input/args.ts'
import { typedId } from '../../input/typed-id.ts'
import { appCommand } from '../../kinds/app-command.ts'

export const SchedulesSendNow = appCommand({
  summary: 'Send a scheduled notification now, to everybody at once',
  description: 'Possible until its first due time. What it says and to whom stays as it is.',
  examples: ['appsvc schedules send-now 12'],
  args: { id: textArg({ required: true, description: 'notification id' }) },
  flags: { app: appFlag },
  read: ({ args }) => typedId(args.id, 'a notification'),
  async work({ input: id, ...job }) {
    const [{ editSchedule }, { SEND_NOW }] = await Promise.all([
      import('./edit.ts'),
      import('../../../domain/schedules/edit.ts'),
    ])
    await editSchedule(job, id, SEND_NOW)
  },
})
