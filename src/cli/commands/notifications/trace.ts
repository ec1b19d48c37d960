import { Flags } from '@oclif/core'
import type { Trace } from '../../../domain/notifications/report/trace.ts'
import { appFlag, textArg } from '../../input/args.ts'
import { typedId } from '../../input/typed-id.ts'
import { appCommand } from '../../kinds/app-command.ts'
import { type Output, printable } from '../../output/output.ts'
import { presentTrace, shortTime } from '../../output/present.ts'

/** Number of recipients shown without --install. */
const SOME = 10

export const NotificationsTrace = appCommand({
  summary: 'Show what happened to one recipient of a notification, or to the first few',
  examples: [
    'appsvc notifications trace 12 --install 3f0c1f2e-8f5e-4b0b-9a57-0c5f3c5b7f10',
    'appsvc notifications trace 12',
  ],
  args: { id: textArg({ required: true, description: 'notification id' }) },
  flags: {
    app: appFlag,
    install: Flags.string({
      helpValue: 'ID',
      description: `install id of the recipient; default: the first ${SOME} recipients`,
    }),
  },
  read: ({ args }) => typedId(args.id, 'a notification'),
  async work({ program, appId, input: id, flags, out }) {
    if (flags.install !== undefined)
      return printStory(out, id, await program.traces.recipient(appId, id, flags.install))
    const traces = await program.traces.some(appId, id, SOME)
    if (traces.length === 1) return printStory(out, id, traces[0]!)
    out.value({ notification: id, recipients: traces.map(presentTrace) })
    out.table(
      ['INSTALL', 'STATE', 'LAST ANSWER'],
      traces.map(({ install, state, answers }) => [install, state, answers.at(-1)?.reason]),
      'It has no recipients.',
    )
    if (traces.length === SOME)
      out.note(
        `Only the first ${SOME}. Use --install ID for another one, appsvc notifications show ${id} for the counts.`,
      )
  },
})

function printStory(out: Output, id: number, trace: Trace): void {
  out.value({ notification: id, ...presentTrace(trace) })
  out.fields({ notification: id, install: trace.install, state: STORIES[trace.state] ?? trace.state })
  for (const page of trace.pages) {
    const waits = page.slot === 'pending' ? `, not before ${shortTime(page.notBefore)}` : ''
    const what = page.again === null || page.again === 'retry' ? `attempt ${page.attempt + 1}` : AGAIN[page.again]
    out.line(`page ${page.page}, ${what}: ${page.slot}${waits} (page ${page.state})`)
  }
  for (const { kind, reason, at } of trace.answers) {
    out.line(`${shortTime(at)}  ${printable(kind)}: ${printable(reason)}`)
  }
}

const AGAIN = {
  after_crash: 'resent after a crash',
  no_answer: 'resent because no answer came',
  held: 'held until the end of quiet hours',
} as const

const STORIES: Record<string, string> = {
  not_a_recipient: 'not a recipient: the notification was not for this install',
  waiting: 'waiting: the fan-out has not reached this recipient yet',
  pending: 'pending: waits to be sent',
  begun: 'begun: being sent to the gateway',
  accepted: 'accepted by the gateway',
  expired: 'expired before it could be sent',
  cancelled: 'cancelled',
  skipped: 'skipped: the install no longer had a push token',
  unknown: 'unknown: the gateway never answered, so it may or may not have arrived',
  token_dead: 'not reached: the gateway reported the token as invalid for good',
  token_suspect: 'not reached: the gateway refused the token',
  payload_error: 'not reached: the gateway refused the message',
  throttled_recipient: 'not reached: the gateway kept refusing this device because it got too many messages',
  not_wanted: 'not sent: the user does not allow the purpose',
  on_suppression_list: 'not sent: the user is on the suppression list',
  user_changed: 'not sent: somebody else used the device by then',
  missing_value: 'not sent: something that the message says is missing for the user',
  no_gateway: 'not reached: the app has no gateway for this platform',
  internal_error: 'not reached: internal error of appsvc; see its log',
}
