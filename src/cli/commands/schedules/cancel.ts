import { appFlag, textArg } from '../../input/args.ts'
import { typedId } from '../../input/typed-id.ts'
import { appCommand } from '../../kinds/app-command.ts'

export const SchedulesCancel = appCommand({
  summary: 'Cancel a scheduled notification; nothing more of it is sent after this command ends',
  description:
    'Possible until the last due time begins. Cancelling a local-time notification that is being sent stops it for the remaining zones.',
  examples: ['appsvc schedules cancel 12'],
  args: { id: textArg({ required: true, description: 'notification id' }) },
  flags: { app: appFlag },
  read: ({ args }) => typedId(args.id, 'a notification'),
  async work({ program, appId, input: id, out }) {
    const { cancelNotification } = await import('../../../domain/notifications/cancel.ts')
    await cancelNotification(
      { read: program, inTransaction: program.inTransaction, clock: program.kernel.clock },
      appId,
      id,
    )
    out.value({ id, cancelled: true })
    out.line(`Notification ${id} is cancelled.`)
  },
})
