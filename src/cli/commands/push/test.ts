import { Flags } from '@oclif/core'
import { AppError } from '../../../platform/errors.ts'
import { appFlag } from '../../input/args.ts'
import { parseDuration } from '../../input/duration.ts'
import { readSaying, requestOfSaying } from '../../input/saying.ts'
import { appCommand } from '../../kinds/app-command.ts'
import { printable } from '../../output/output.ts'

/** Outcomes that may differ a minute later. */
const TRY_AGAIN = new Set(['pending', 'gateway_down', 'throttled_gateway', 'throttled_recipient', 'uncertain'])

export const PushTest = appCommand({
  summary: 'Send a push to one install now and print the answer of the gateway',
  description:
    'The running server sends it. If no server runs, this command sends it directly and stores nothing. A personalised push has the words of the ' +
    'user of the install; where a value is missing it is sent or not as personalize says, and the values are named. Exits with 0 if the gateway ' +
    'accepted the push, 75 if trying again may help, 78 if the credential is wrong, and 65 otherwise.',
  examples: [
    'appsvc push test --install 3f0c1f2e-8f5e-4b0b-9a57-0c5f3c5b7f10 --title Hello',
    'appsvc push test --install 3f0c1f2e-8f5e-4b0b-9a57-0c5f3c5b7f10 --file push.json',
  ],
  flags: {
    app: appFlag,
    install: Flags.string({ required: true, helpValue: 'ID', description: 'install id' }),
    title: Flags.string({ description: 'title of the push; default: Test' }),
    message: Flags.string({ description: 'text of the push; default: It works.' }),
    file: Flags.string({
      helpValue: 'FILE',
      description:
        'JSON file with what the push says: the body of a notification without its target; - for standard input',
      exclusive: ['title', 'message'],
    }),
    wait: Flags.string({ default: '30s', helpValue: '30s', description: 'how long to wait for the answer' }),
  },
  async read({ flags, io }) {
    const { title = 'Test', message = 'It works.' } = flags
    const waitMs = parseDuration(flags.wait, '--wait')
    const saying =
      flags.file === undefined ? { content: { title, message } } : await readSaying(io, flags.file, '--file')
    return { waitMs, request: await requestOfSaying(saying, { installIds: [flags.install] }) }
  },
  async work({ program, appId, input: { waitMs, request }, flags, out, exit }) {
    const [{ sendDirectly, sendThroughServer }, { holdOf }, { isServed }] = await Promise.all([
      import('../../push/push-test.ts'),
      import('../../../doctor/state/hold.ts'),
      import('../../../doctor/state/served.ts'),
    ])
    const test = { program, appId, installId: flags.install, request }
    const hold = await holdOf(program)
    if (hold) throw new AppError('unavailable', hold.sentence)
    const served = await isServed(program)
    if (served === false) out.note('No server runs on this database: sending directly; nothing is stored.')
    const { notification, outcome } =
      served === false
        ? { notification: null, outcome: await sendDirectly(test) }
        : await sendThroughServer(test, waitMs)

    out.value({ notification, outcome })
    out.fields({
      outcome: outcome.kind,
      ...(outcome.reason !== undefined && { answer: outcome.reason }),
      ...(outcome.providerId !== undefined && { 'gateway id': outcome.providerId }),
      ...(notification !== null && { notification }),
    })
    if (outcome.kind === 'accepted') return
    if (!out.json) out.note(`appsvc: the push was not delivered: ${printable(outcome.reason ?? outcome.kind)}`)
    exit(outcome.kind === 'config_error' ? 78 : TRY_AGAIN.has(outcome.kind) ? 75 : 65)
  },
})
