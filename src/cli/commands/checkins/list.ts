import { optionalAppArg } from '../../input/args.ts'
import { listCommand } from '../../kinds/list-command.ts'
import { shortTime } from '../../output/present.ts'

export const CheckinsList = listCommand({
  summary: 'List check-ins, newest first; --json includes contact details',
  examples: ['appsvc checkins list', 'appsvc checkins list --app 1 --limit 1000 --json'],
  args: { app: optionalAppArg },
  things: 'check-ins',
  none: 'There are no check-ins.',
  head: ['ID', 'PLACE', 'USER', 'PEOPLE', 'ARRIVED', 'LEFT', 'CONTACTS'],
  async page({ program, appId, flags }) {
    const { presentCheckin } = await import('../../../present/api/checkins.ts')
    const { checkins, next } = await program.checkins.list(appId, flags.after, flags.limit)
    const json = { checkins: checkins.map((one) => ({ ...presentCheckin(one), userIdentifier: one.userIdentifier })) }
    const rows = checkins.map((one) => [
      one.id,
      one.location,
      one.userIdentifier,
      one.partySize,
      shortTime(one.checkedInAt),
      shortTime(one.checkedOutAt),
      one.contacts.map(({ firstName, lastName }) => [firstName, lastName].filter(Boolean).join(' ')).join(', '),
    ])
    return { json, rows, next }
  },
})
