import { appFlag, chooseApp } from '../../input/app.ts'
import { typedId } from '../../input/typed-id.ts'
import { BaseCommand, textArg } from '../../kinds/base.ts'

export class SchedulesCancel extends BaseCommand {
  static override summary = 'Cancel a scheduled notification; when this ends nothing of it is sent any more'
  static override description =
    'Possible until its last due instant begins: a local time under way is stopped for the rest.'
  static override examples = ['<%= config.bin %> schedules cancel 12']
  static override args = { id: textArg({ required: true, description: 'id of the notification' }) }
  static override flags = { app: appFlag }

  async run(): Promise<void> {
    const { args, flags } = await this.parse(SchedulesCancel)
    const id = typedId(args.id, 'a notification')
    const { cancelNotification } = await import('../../../domain/notifications/cancel.ts')
    const app = await this.open(flags)
    const found = await chooseApp(app, flags.app)
    const { clock } = app.kernel
    await cancelNotification({ read: app, inTransaction: app.inTransaction, clock }, found.id, id)
    this.out.value({ id, cancelled: true })
    this.out.line(`Notification ${id} is cancelled.`)
  }
}
