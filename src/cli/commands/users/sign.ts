import { Flags } from '@oclif/core'
import { chooseApp } from '../../input/app.ts'
import { parseDuration } from '../../input/duration.ts'
import { BaseCommand, textArg } from '../../kinds/base.ts'

export class UsersSign extends BaseCommand {
  static override summary = 'Make the token that a device gives in the place of the identifier of a user'
  static override description =
    'For trying it out: your server makes tokens by itself or with POST /v1/users/{userId}/token. Switched on with apps identity.'
  static override examples = [
    '<%= config.bin %> users sign 1 anna@example.com',
    '<%= config.bin %> users sign 1 anna@example.com --expires 30d',
  ]
  static override args = {
    app: textArg({ required: true, description: 'id or name of the app' }),
    identifier: textArg({ required: true, description: 'identifier of the user; there need not be one yet' }),
  }
  static override flags = {
    expires: Flags.string({ helpValue: '30d', description: 'how long the token is good for; without, for ever' }),
  }

  async run(): Promise<void> {
    const { args, flags } = await this.parse(UsersSign)
    const lifeMs = flags.expires === undefined ? 0 : parseDuration(flags.expires, '--expires')
    const app = await this.open(flags)
    const { id } = await chooseApp(app, args.app)
    const expiresAt = lifeMs === 0 ? null : app.kernel.clock.now() + lifeMs
    const token = await app.signedIds.sign(id, args.identifier, expiresAt)
    const { presentUserToken } = await import('../../../server/present/crm.ts')
    const { shortTime } = await import('../../output/present.ts')
    this.out.value(presentUserToken({ identifier: args.identifier, token, expiresAt }))
    this.out.fields({
      token,
      user: args.identifier,
      expires: expiresAt === null ? 'never' : shortTime(expiresAt),
    })
  }
}
