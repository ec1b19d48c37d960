import { Flags } from '@oclif/core'
import { DEVICE_CHANNELS, QUIET_THEN } from '../../../domain/apps/types.ts'
import { AppError } from '../../../platform/errors.ts'
import { optionalAppArg } from '../../input/args.ts'
import { checked } from '../../input/checked.ts'
import { appCommand } from '../../kinds/app-command.ts'
import { countOf } from '../../output/plural.ts'

export const AppsRestrain = appCommand({
  summary:
    'Set the rules of an app: quiet hours, frequency cap, confirmation of large sends, visibility of channels created by devices, language attribute',
  description:
    'The report of each notification counts the recipients that a rule excluded, with the reason. Without flags, prints the current rules.',
  examples: [
    'appsvc apps restrain 1 --quiet-hours 22:00-07:00',
    'appsvc apps restrain 1 --quiet-hours 22:00-07:00 --then hold',
    'appsvc apps restrain 1 --cap 5/24h',
    'appsvc apps restrain 1 --confirm-above 10000',
    'appsvc apps restrain 1 --device-channels public',
    'appsvc apps restrain 1 --language-attribute language',
    'appsvc apps restrain 1 --quiet-hours off --cap off --confirm-above off',
  ],
  subject: true,
  args: { app: optionalAppArg },
  flags: {
    'quiet-hours': Flags.string({
      helpValue: 'FROM-TO',
      description: "period without notifications, in each install's time zone; or off",
    }),
    // oxlint-disable-next-line unicorn/no-thenable -- a word of the interface, never a function
    then: Flags.string({
      options: QUIET_THEN,
      dependsOn: ['quiet-hours'],
      description: 'recipients in quiet hours get nothing (drop, the default), or get it when the hours end (hold)',
    }),
    cap: Flags.string({
      helpValue: 'COUNT/HOURSh',
      description: 'maximum number of notifications per install in a number of hours; or off',
    }),
    'device-channels': Flags.string({
      options: DEVICE_CHANNELS,
      description: 'who sees a named channel created by a device: its subscribers (private) or all devices (public)',
    }),
    'confirm-above': Flags.string({
      helpValue: 'COUNT',
      description: 'a send to more recipients than this must state the expected number in "confirm"; or off',
    }),
    'language-attribute': Flags.string({
      helpValue: 'NAME',
      description: 'user attribute that says which language a person reads, such as language or profile.language',
    }),
    'no-language-attribute': Flags.boolean({
      exclusive: ['language-attribute'],
      description: 'let the locale of each install say the language',
    }),
  },
  async read({ flags }) {
    const { fromRestraintForm, restraintForm } = await import('../../../domain/apps/schema.ts')
    const form = {
      ...(flags['quiet-hours'] !== undefined && { quietHours: quietHours(flags['quiet-hours'], flags.then) }),
      ...(flags.cap !== undefined && { frequencyCap: frequencyCap(flags.cap) }),
      ...(flags['device-channels'] !== undefined && { deviceChannels: flags['device-channels'] }),
      ...(flags['confirm-above'] !== undefined && { confirmAbove: confirmAbove(flags['confirm-above']) }),
      ...(flags['language-attribute'] !== undefined && { languageAttribute: flags['language-attribute'] }),
      ...(flags['no-language-attribute'] && { languageAttribute: null }),
    }
    return fromRestraintForm(await checked(restraintForm, form))
  },
  async work({ program, chosen: { id, name }, input: change, out }) {
    const { presentRestraint } = await import('../../../present/api/restraint.ts')
    const restraint = presentRestraint(await program.inTransaction((tx) => tx.apps.restrain(id, change)))
    const { quietHours: quiet, frequencyCap: cap, confirmAbove: above } = restraint
    out.value({ app: id, ...restraint })
    out.fields({
      app: `${id} ${name}`,
      'quiet hours': quiet
        ? `${quiet.from}-${quiet.to}${quiet.then === undefined ? '' : `, then ${quiet.then}`}`
        : 'none',
      'frequency cap': cap ? `${cap.count} in ${cap.hours} h` : 'none',
      'channels of devices': restraint.deviceChannels,
      'confirm above': above === null ? 'off' : countOf(above, 'recipient'),
      'language attribute': restraint.languageAttribute ?? 'none',
    })
  },
})

function quietHours(text: string, then: string | undefined): object | null {
  if (text === 'off' && then !== undefined)
    throw new AppError('usage', '--then needs quiet hours: --quiet-hours FROM-TO')
  if (text === 'off') return null
  const [from, to, more] = text.split('-')
  if (!from || !to || more !== undefined)
    throw new AppError('usage', '--quiet-hours must be FROM-TO, for example 22:00-07:00, or off')
  // oxlint-disable-next-line unicorn/no-thenable -- a word of the interface, never a function
  return { from, to, ...(then !== undefined && { then }) }
}

function frequencyCap(text: string): { count: number; hours: number } | null {
  if (text === 'off') return null
  const match = /^(\d+)\/(\d+)h$/.exec(text)
  if (!match) throw new AppError('usage', '--cap must be COUNT/HOURSh, for example 5/24h, or off')
  return { count: Number(match[1]), hours: Number(match[2]) }
}

function confirmAbove(text: string): number | null {
  if (text === 'off') return null
  if (!/^\d+$/.test(text))
    throw new AppError('usage', '--confirm-above must be a number of recipients, for example 10000, or off')
  return Number(text)
}
