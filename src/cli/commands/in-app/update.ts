import { appFlag, textArg } from '../../input/args.ts'
import { editFlags, readEdit } from '../../input/edit-flags.ts'
import { typedId } from '../../input/typed-id.ts'
import { appCommand } from '../../kinds/app-command.ts'

export const InAppUpdate = appCommand({
  summary: 'Edit a scheduled in-app message: the keys in the file replace those of its request, null takes one out',
  description:
    'What it says, to whom and when, as long as its first due time has not come; its push keeps in step. What comes of it is checked as a ' +
    'new message is. A new schedule moves it; appsvc in-app send-now sends it at once.',
  examples: [
    'appsvc in-app update 12 --file shown.json',
    `echo '{"schedule":{"strategy":"utc","sendAt":"2031-05-01 07:30","pastTimes":"ignore"}}' | appsvc in-app update 12 --file -`,
  ],
  args: { id: textArg({ required: true, description: 'in-app message id' }) },
  flags: { app: appFlag, ...editFlags },
  read: async ({ args, flags, io }) => ({ id: typedId(args.id, 'an in-app message'), edit: await readEdit(io, flags) }),
  async work({ input: { id, edit }, ...job }) {
    const { editMessage } = await import('./edit.ts')
    await editMessage(job, id, edit)
  },
})
