import { appFlag, textArg } from '../../input/args.ts'
import { typedId } from '../../input/typed-id.ts'
import { appCommand } from '../../kinds/app-command.ts'

export const InAppWithdraw = appCommand({
  summary: 'Withdraw an in-app message: no more users get it, and devices that have it remove it',
  description:
    'Devices remove it at their next sync. The rest of its schedule and the unsent part of its linked push are cancelled; no push for ' +
    'it is sent after this command ends.',
  examples: ['appsvc in-app withdraw 12'],
  args: { id: textArg({ required: true, description: 'in-app message id' }) },
  flags: { app: appFlag },
  read: ({ args }) => typedId(args.id, 'an in-app message'),
  async work({ program, appId, input: id, out }) {
    const { withdrawMessage } = await import('../../../domain/in-app/withdraw.ts')
    await withdrawMessage(
      { read: program, inTransaction: program.inTransaction, clock: program.kernel.clock },
      appId,
      id,
    )
    out.value({ id, withdrawn: true })
    out.line(`In-app message ${id} is withdrawn.`)
  },
})
