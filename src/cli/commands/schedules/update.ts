import { appFlag, textArg } from '../../input/args.ts'
import { editFlags, readEdit } from '../../input/edit-flags.ts'
import { typedId } from '../../input/typed-id.ts'
import { appCommand } from '../../kinds/app-command.ts'

export const SchedulesUpdate = appCommand({
  summary: 'Edit a scheduled notification: the keys in the file replace those of its request, null takes one out',
  description:
    'What it says, to whom and when, as long as its first due time has not come. What comes of it is checked as a new notification is. ' +
    'A new schedule moves it; appsvc schedules send-now sends it at once.',
  examples: [
    'appsvc schedules update 12 --file change.json',
    `echo '{"schedule":{"strategy":"utc","sendAt":"2031-05-01 07:30","pastTimes":"ignore"}}' | appsvc schedules update 12 --file -`,
  ],
  args: { id: textArg({ required: true, description: 'notification id' }) },
  flags: { app: appFlag, ...editFlags },
  read: async ({ args, flags, io }) => ({ id: typedId(args.id, 'a notification'), edit: await readEdit(io, flags) }),
  async work({ input: { id, edit }, ...job }) {
    const { editSchedule } = await import('./edit.ts')
    await editSchedule(job, id, edit)
  },
})
