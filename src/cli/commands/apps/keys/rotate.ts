import { Flags } from '@oclif/core'
import type { KeyKind } from '../../../../domain/apps/types.ts'
import { isoOffset } from '../../../../platform/time/clock.ts'
import { subjectAppArg, yesFlag } from '../../../input/args.ts'
import { parseDuration } from '../../../input/duration.ts'
import { appCommand } from '../../../kinds/app-command.ts'
import { shortTime } from '../../../output/present.ts'

const KINDS = { api: 'API key', server: 'server key', secret: 'secret key' } as const
const FIELDS = { api: 'apiKey', server: 'serverKey', secret: 'secretKey' } as const

export const AppsKeysRotate = appCommand({
  summary: 'Replace a key of an app; a new server or secret key is shown only once',
  description:
    'The old key stops working within a second, or after --grace. The secret key is compiled into apps: without a grace period, installed ' +
    'apps lose access until they are updated.',
  examples: ['appsvc apps keys rotate 1 --server --grace 24h', 'appsvc apps keys rotate 1 --secret --grace 90d'],
  subject: true,
  args: { app: subjectAppArg },
  flags: {
    server: Flags.boolean({ description: 'replace the server key', exactlyOne: ['server', 'secret', 'api'] }),
    secret: Flags.boolean({ description: 'replace the secret key, which is compiled into apps' }),
    api: Flags.boolean({ description: 'replace the API key, which servers and apps both send' }),
    grace: Flags.string({ default: '0', helpValue: '24h', description: 'how long the old key keeps working' }),
    yes: yesFlag,
  },
  read: ({ flags }) => ({
    kind: (Object.keys(KINDS) as KeyKind[]).find((one) => flags[one])!,
    graceMs: parseDuration(flags.grace, '--grace'),
  }),
  async work({ program, appId, input: { kind, graceMs }, flags, out }) {
    if (graceMs === 0) {
      await out.confirm(
        `The current ${KINDS[kind]} of app ${appId} stops working within a second. Continue?`,
        flags.yes,
      )
    }
    const key = await program.inTransaction((tx) => tx.apps.rotate(appId, kind, graceMs))
    const ends = program.kernel.clock.now() + graceMs
    out.value({ id: appId, kind, [FIELDS[kind]]: key, oldKeyExpiresAt: isoOffset(ends) })
    out.fields({ [KINDS[kind]]: key, 'old key': graceMs === 0 ? 'ended' : `ends ${shortTime(ends)}` })
    if (kind !== 'api') out.note('Save the key now: it is not shown again.')
  },
})
