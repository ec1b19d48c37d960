import { Flags } from '@oclif/core'
import { appArg, textArg } from '../../input/args.ts'
import { parseDuration } from '../../input/duration.ts'
import { appCommand } from '../../kinds/app-command.ts'
import { shortTime } from '../../output/present.ts'

export const UsersSign = appCommand({
  summary: 'Sign the token by which a device identifies a user',
  description:
    'For testing: in production your server signs tokens itself or requests them with POST /v1/users/{userId}/token. Turn signed users on with apps identity.',
  examples: ['appsvc users sign --app 1 anna@example.com', 'appsvc users sign --app 1 anna@example.com --expires 30d'],
  args: {
    app: appArg,
    identifier: textArg({ required: true, description: 'user identifier; the user need not exist yet' }),
  },
  flags: { expires: Flags.string({ helpValue: '30d', description: 'lifetime of the token; default: unlimited' }) },
  read: ({ flags }) => (flags.expires === undefined ? 0 : parseDuration(flags.expires, '--expires')),
  async work({ program, appId, args: { identifier }, input: lifeMs, out }) {
    const expiresAt = lifeMs === 0 ? null : program.kernel.clock.now() + lifeMs
    const token = await program.signedIds.sign(appId, identifier, expiresAt)
    const { presentUserToken } = await import('../../../present/api/crm.ts')
    out.value(presentUserToken({ identifier, token, expiresAt }))
    out.fields({ token, user: identifier, expires: expiresAt === null ? 'never' : shortTime(expiresAt) })
  },
})
