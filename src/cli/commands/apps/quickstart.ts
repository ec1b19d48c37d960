import { Flags } from '@oclif/core'
import { AppError } from '../../../platform/errors.ts'
import { SNIPPET_NAMES, snippetsFor } from '../../../present/snippets.ts'
import { optionalAppArg } from '../../input/args.ts'
import { parseDuration } from '../../input/duration.ts'
import { requestOfSaying } from '../../input/saying.ts'
import { appCommand } from '../../kinds/app-command.ts'
import { showSnippet } from '../../output/snippet.ts'

const LOOK_MS = 500

export const AppsQuickstart = appCommand({
  summary: 'Print code to begin with: a web page, an Expo app, a server, a shell',
  description:
    'The address of the server and the API key are filled in, and the secret key and the server key where APPSVC_SECRET_KEY and ' +
    'APPSVC_SERVER_KEY name them. With --wait it waits for the first install that can be reached, and sends it a test push.',
  examples: [
    'appsvc apps quickstart Bakery --for web',
    'appsvc apps quickstart Bakery --for curl',
    'appsvc apps quickstart Bakery --for expo --wait 10m',
  ],
  subject: true,
  args: { app: optionalAppArg },
  flags: {
    for: Flags.option({ options: SNIPPET_NAMES, description: 'only the code for this place' })(),
    wait: Flags.string({
      helpValue: '10m',
      description: 'how long to wait for the first install, to send it a test push',
    }),
  },
  read: ({ flags }) => ({ waitMs: flags.wait === undefined ? undefined : parseDuration(flags.wait, '--wait') }),
  async work({ program, appId, input: { waitMs }, flags, io, out }) {
    const [{ readQuickstart, firstOf }, { addressOf }] = await Promise.all([
      import('../../../doctor/quickstart.ts'),
      import('../../state/address.ts'),
    ])
    const { APPSVC_SECRET_KEY: secretKey, APPSVC_SERVER_KEY: serverKey } = io.environment
    const values = {
      url: addressOf(program.kernel.config),
      ...(secretKey && { secretKey }),
      ...(serverKey && { serverKey }),
    }
    const { url } = values
    const quickstart = await readQuickstart(program, appId, values)
    const shown = snippetsFor(quickstart.values).filter(({ name }) => flags.for === undefined || name === flags.for)
    if (waitMs === undefined) out.value({ url, snippets: shown })
    for (const one of shown) showSnippet(out, one)
    if (waitMs === undefined) return
    out.note('Waiting for the first install…')
    const { clock } = program.kernel
    const until = clock.monotonic() + waitMs
    for (;;) {
      const first = await firstOf(program.crm, appId)
      if (first?.subscribed) return greet(first.installId)
      if (clock.monotonic() >= until) {
        const why = first
          ? `install ${first.installId} has reported and cannot get pushes yet`
          : 'no install has reported'
        throw new AppError('unavailable', `${why} within ${flags.wait}`)
      }
      await clock.sleep(LOOK_MS)
    }

    async function greet(installId: string): Promise<void> {
      const { sendThroughServer } = await import('../../push/push-test.ts')
      const said = { content: { title: 'Hello', message: 'Your first push has arrived.' } }
      const request = await requestOfSaying(said, { installIds: [installId] })
      const { notification, outcome } = await sendThroughServer(
        { program, appId, installId, request },
        until - clock.monotonic(),
      )
      out.value({ url, snippets: shown, install: installId, notification, outcome })
      out.line()
      out.fields({
        install: installId,
        'test push': outcome.kind,
        ...(outcome.reason && { answer: outcome.reason }),
        notification,
      })
    }
  },
})
