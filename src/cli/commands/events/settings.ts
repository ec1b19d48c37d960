import { Flags } from '@oclif/core'
import { optionalAppArg } from '../../input/args.ts'
import { appCommand } from '../../kinds/app-command.ts'

export const EventsSettings = appCommand({
  summary: 'Show or set what enters the event log of an app besides events',
  description:
    'With --deliveries each page of a notification enters the log as it closes, for readers that ask for it with include=deliveries. ' +
    'A webhook that includes deliveries has the same effect.',
  examples: ['appsvc events settings --app 1', 'appsvc events settings --app 1 --deliveries'],
  args: { app: optionalAppArg },
  flags: {
    deliveries: Flags.boolean({ allowNo: true, description: 'keep the pages of notifications, from now on, or not' }),
  },
  read: ({ flags }) => flags.deliveries,
  async work({ program, chosen: { id, name }, input: deliveries, out }) {
    const settings =
      deliveries === undefined
        ? await program.apps.logSettings(id)
        : await program.inTransaction((tx) => tx.apps.setLogSettings(id, { deliveries }))
    out.value({ app: id, ...settings })
    out.fields({ app: `${id} ${name}`, deliveries: settings.deliveries ? 'on' : 'off' })
  },
})
