import { appFlag, chooseApp } from '../../input/app.ts'
import { typedId } from '../../input/typed-id.ts'
import { BaseCommand, textArg } from '../../kinds/base.ts'

export class InAppWithdraw extends BaseCommand {
  static override summary = 'Withdraw an in-app message: nobody gets it any more, and devices that have it drop it'
  static override description =
    'Devices drop it at their next sync. The rest of its schedule and what was not sent of its linked push are called off; when this ' +
    'ends no push of it is sent any more.'
  static override examples = ['<%= config.bin %> in-app withdraw 12']
  static override args = { id: textArg({ required: true, description: 'id of the in-app message' }) }
  static override flags = { app: appFlag }

  async run(): Promise<void> {
    const { args, flags } = await this.parse(InAppWithdraw)
    const id = typedId(args.id, 'an in-app message')
    const { withdrawMessage } = await import('../../../domain/in-app/withdraw.ts')
    const app = await this.open(flags)
    const found = await chooseApp(app, flags.app)
    const { clock } = app.kernel
    await withdrawMessage({ read: app, inTransaction: app.inTransaction, clock }, found.id, id)
    this.out.value({ id, withdrawn: true })
    this.out.line(`In-app message ${id} is withdrawn.`)
  }
}
