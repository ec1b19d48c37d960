import { Flags } from '@oclif/core'
import { appFlag, chooseApp } from '../../input/app.ts'
import { typedId } from '../../input/typed-id.ts'
import { BaseCommand, textArg } from '../../kinds/base.ts'
import { printable } from '../../output/output.ts'
import type { Trace } from '../../push/trace.ts'

/** Without --install. */
const SOME = 10

export class NotificationsTrace extends BaseCommand {
  static override summary = 'Tell what became of one recipient of a notification, or of the first few'
  static override examples = [
    '<%= config.bin %> notifications trace 12 --install 3f0c1f2e-8f5e-4b0b-9a57-0c5f3c5b7f10',
    '<%= config.bin %> notifications trace 12',
  ]
  static override args = { id: textArg({ required: true, description: 'id of the notification' }) }
  static override flags = {
    app: appFlag,
    install: Flags.string({
      helpValue: 'ID',
      description: `install id of the recipient; else the first ${SOME} recipients`,
    }),
  }

  async run(): Promise<void> {
    const { args, flags } = await this.parse(NotificationsTrace)
    const id = typedId(args.id, 'a notification')
    const { traceRecipient, traceSome } = await import('../../push/trace.ts')
    const app = await this.open(flags)
    const found = await chooseApp(app, flags.app)
    if (flags.install !== undefined) return this.#story(id, await traceRecipient(app, found.id, id, flags.install))
    const traces = await traceSome(app, found.id, id, SOME)
    if (traces.length === 1) return this.#story(id, traces[0]!)
    const { presentTrace } = await import('../../output/present.ts')
    this.out.value({ notification: id, recipients: traces.map(presentTrace) })
    this.out.table(
      ['INSTALL', 'STATE', 'LAST ANSWER'],
      traces.map(({ install, state, answers }) => [install, state, answers.at(-1)?.reason]),
      'It has no recipients.',
    )
    if (traces.length === SOME)
      this.out.note(
        `the first ${SOME} only: --install ID for any other, appsvc notifications show ${id} for the counts`,
      )
  }

  async #story(id: number, trace: Trace): Promise<void> {
    const { presentTrace, shortTime } = await import('../../output/present.ts')
    this.out.value({ notification: id, ...presentTrace(trace) })
    this.out.fields({ notification: id, install: trace.install, state: STORIES[trace.state] ?? trace.state })
    for (const page of trace.pages) {
      const waits = page.slot === 'pending' ? `, not before ${shortTime(page.notBefore)}` : ''
      const what =
        page.again === 'after_crash' || page.again === 'no_answer' ? AGAIN[page.again] : `attempt ${page.attempt + 1}`
      this.out.line(`page ${page.page}, ${what}: ${page.slot}${waits} (page ${page.state})`)
    }
    for (const { kind, reason, at } of trace.answers) {
      this.out.line(`${shortTime(at)}  ${printable(kind)}: ${printable(reason)}`)
    }
  }
}

const AGAIN = {
  after_crash: 'sent again after a crash',
  no_answer: 'sent again because no answer came',
} as const

const STORIES: Record<string, string> = {
  not_a_recipient: 'not a recipient: the notification was not for this install',
  waiting: 'waiting: the audience has not been walked that far',
  pending: 'pending: waits to be sent',
  begun: 'begun: on its way to the gateway',
  accepted: 'accepted by the gateway',
  expired: 'expired before it could be sent',
  cancelled: 'cancelled',
  skipped: 'skipped: it had no push token any more',
  unknown: 'unknown: the gateway never answered, so it may or may not have arrived',
  token_dead: 'not reached: the gateway says the token is dead',
  token_suspect: 'not reached: the gateway refuses the token',
  payload_error: 'not reached: the gateway refuses the message',
  throttled_recipient: 'not reached: the gateway kept refusing this device for too many messages',
  no_gateway: 'not reached: the app has no gateway for this platform',
  internal_error: 'not reached: an error of appsvc itself, told in its log',
}
