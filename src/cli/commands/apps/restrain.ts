import { Flags } from '@oclif/core'
import { DEVICE_CHANNELS } from '../../../domain/apps/types.ts'
import { AppError } from '../../../platform/errors.ts'
import { chooseApp } from '../../input/app.ts'
import { BaseCommand, textArg } from '../../kinds/base.ts'
import { countOf } from '../../output/plural.ts'

export class AppsRestrain extends BaseCommand {
  static override summary =
    "Set an app's rules: quiet hours, a cap on how often users hear from it, confirmation of large sends, channels that devices make"
  static override description =
    'Recipients left out are counted in the report of each notification, with the reason. Without flags: shows what is set.'
  static override examples = [
    '<%= config.bin %> apps restrain 1 --quiet 22:00-07:00',
    '<%= config.bin %> apps restrain 1 --cap 5/24h',
    '<%= config.bin %> apps restrain 1 --confirm-above 10000',
    '<%= config.bin %> apps restrain 1 --device-channels public',
    '<%= config.bin %> apps restrain 1 --quiet off --cap off --confirm-above off',
  ]
  static override args = { app: textArg({ description: 'id or name' }) }
  static override flags = {
    quiet: Flags.string({
      helpValue: 'FROM-TO',
      description: "nothing is sent then, in each install's own time zone; or off",
    }),
    cap: Flags.string({
      helpValue: 'COUNT/HOURSh',
      description: 'at most so many notifications an install in so many hours; or off',
    }),
    'device-channels': Flags.string({
      options: DEVICE_CHANNELS,
      description:
        'who sees a channel that a device made and named: its subscribers (private) or every device (public)',
    }),
    'confirm-above': Flags.string({
      helpValue: 'COUNT',
      description: 'a send to more recipients than this needs "confirm": their number or more; or off',
    }),
  }

  async run(): Promise<void> {
    const { args, flags } = await this.parse(AppsRestrain)
    const [{ fromRestraintForm, restraintForm }, { parseJson }, { presentRestraint }] = await Promise.all([
      import('../../../domain/apps/schema.ts'),
      import('../../../platform/parse.ts'),
      import('../../../server/present/restraint.ts'),
    ])
    const form = {
      ...(flags.quiet !== undefined && { quietHours: quietHours(flags.quiet) }),
      ...(flags.cap !== undefined && { frequencyCap: frequencyCap(flags.cap) }),
      ...(flags['device-channels'] !== undefined && { deviceChannels: flags['device-channels'] }),
      ...(flags['confirm-above'] !== undefined && { confirmAbove: confirmAbove(flags['confirm-above']) }),
    }
    const change = fromRestraintForm(parseJson(restraintForm, form))
    const app = await this.open(flags)
    const { id, name } = await chooseApp(app, args.app)
    const restraint = presentRestraint(await app.inTransaction((tx) => tx.apps.restrain(id, change)))
    const { quietHours: quiet, frequencyCap: cap, confirmAbove: above } = restraint
    this.out.value({ app: id, ...restraint })
    this.out.fields({
      app: `${id} ${name}`,
      'quiet hours': quiet ? `${quiet.from}-${quiet.to}` : 'none',
      'frequency cap': cap ? `${cap.count} in ${cap.hours} h` : 'none',
      'channels of devices': restraint.deviceChannels,
      'confirm above': above === null ? 'off' : countOf(above, 'recipient'),
    })
  }
}

function quietHours(text: string): { from: string; to: string } | null {
  if (text === 'off') return null
  const [from, to, more] = text.split('-')
  if (!from || !to || more !== undefined)
    throw new AppError('usage', '--quiet wants FROM-TO such as 22:00-07:00, or off')
  return { from, to }
}

function frequencyCap(text: string): { count: number; hours: number } | null {
  if (text === 'off') return null
  const match = /^(\d+)\/(\d+)h$/.exec(text)
  if (!match) throw new AppError('usage', '--cap wants COUNT/HOURSh such as 5/24h, or off')
  return { count: Number(match[1]), hours: Number(match[2]) }
}

function confirmAbove(text: string): number | null {
  if (text === 'off') return null
  if (!/^\d+$/.test(text))
    throw new AppError('usage', '--confirm-above wants a number of recipients such as 10000, or off')
  return Number(text)
}
