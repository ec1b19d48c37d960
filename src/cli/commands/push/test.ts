import { Flags } from '@oclif/core'
import { AppError } from '../../../platform/errors.ts'
import { appFlag, chooseApp } from '../../input/app.ts'
import { parseDuration } from '../../input/duration.ts'
import { BaseCommand } from '../../kinds/base.ts'
import { printable } from '../../output/output.ts'
import { isServed } from '../../state/served.ts'

/** Outcomes that may well be another one in a minute. */
const TRY_AGAIN = new Set(['pending', 'gateway_down', 'throttled_gateway', 'throttled_recipient', 'uncertain'])

export class PushTest extends BaseCommand {
  static override summary = 'Send a push to one install now and print what the gateway answered'
  static override description =
    'Through the running server; when none runs, directly from this command (then nothing is stored). ' +
    'Exit code 0 when the gateway took it, 75 when trying again may help, 78 when the credential is wrong, else 65.'
  static override examples = [
    '<%= config.bin %> push test --install 3f0c1f2e-8f5e-4b0b-9a57-0c5f3c5b7f10 --title Hello',
  ]
  static override flags = {
    app: appFlag,
    install: Flags.string({ required: true, helpValue: 'ID', description: 'install id' }),
    title: Flags.string({ default: 'Test', description: 'title of the push' }),
    message: Flags.string({ default: 'It works.', description: 'text of the push' }),
    wait: Flags.string({ default: '30s', helpValue: '30s', description: 'how long to wait for the answer' }),
  }

  async run(): Promise<void> {
    const { flags } = await this.parse(PushTest)
    const waitMs = parseDuration(flags.wait, '--wait')
    const [{ fromMessagesForm, messagesForm }, { parseJson }, { sendDirectly, sendThroughServer }, { holdOf }] =
      await Promise.all([
        import('../../../domain/notifications/schema.ts'),
        import('../../../platform/parse.ts'),
        import('../../push/push-test.ts'),
        import('../../state/hold.ts'),
      ])
    const body = { target: { installIds: [flags.install] }, content: { title: flags.title, message: flags.message } }
    const { content } = fromMessagesForm(parseJson(messagesForm, body))
    const app = await this.open(flags)
    const { id } = await chooseApp(app, flags.app)
    const test = { app, appId: id, installId: flags.install, content }
    const hold = await holdOf(app)
    if (hold) throw new AppError('unavailable', hold.sentence)
    const served = await isServed(app)
    if (served === false) this.out.note('No server runs on this database: sending from here; nothing is stored.')
    const { notification, outcome } =
      served === false
        ? { notification: null, outcome: await sendDirectly(test) }
        : await sendThroughServer(test, waitMs)

    this.out.value({ notification, outcome })
    const good = outcome.kind === 'accepted'
    this.out.fields({
      outcome: outcome.kind,
      ...(outcome.reason !== undefined && { answer: outcome.reason }),
      ...(outcome.providerId !== undefined && { 'gateway id': outcome.providerId }),
      ...(notification !== null && { notification }),
    })
    if (good) return
    if (!this.out.json)
      this.out.note(`appsvc: the push was not delivered: ${printable(outcome.reason ?? outcome.kind)}`)
    this.exit(outcome.kind === 'config_error' ? 78 : TRY_AGAIN.has(outcome.kind) ? 75 : 65)
  }
}
