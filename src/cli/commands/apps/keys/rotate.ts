import { Flags } from '@oclif/core'
import type { KeyKind } from '../../../../domain/apps/types.ts'
import { chooseApp } from '../../../input/app.ts'
import { parseDuration } from '../../../input/duration.ts'
import { BaseCommand, textArg } from '../../../kinds/base.ts'

const KINDS = { api: 'API key', server: 'server key', secret: 'secret key' } as const
const FIELDS = { api: 'apiKey', server: 'serverKey', secret: 'secretKey' } as const

export class AppsKeysRotate extends BaseCommand {
  static override summary = 'Make a new key of an app, shown this once; the old one ends now or after --grace'
  static override description =
    'The secret key is compiled into apps: give installs time to update (--grace), or they lose their connection.'
  static override examples = [
    '<%= config.bin %> apps keys rotate 1 --server --grace 24h',
    '<%= config.bin %> apps keys rotate 1 --secret --grace 90d',
  ]
  static override args = { app: textArg({ required: true, description: 'id or name of the app' }) }
  static override flags = {
    server: Flags.boolean({ description: 'the key of servers', exactlyOne: ['server', 'secret', 'api'] }),
    secret: Flags.boolean({ description: 'the key that is compiled into apps' }),
    api: Flags.boolean({ description: 'the public name of the app, which servers and apps both send' }),
    grace: Flags.string({ default: '0', helpValue: '24h', description: 'how long the old key goes on working' }),
    yes: Flags.boolean({ char: 'y', description: 'do not ask' }),
  }

  async run(): Promise<void> {
    const { args, flags } = await this.parse(AppsKeysRotate)
    const kind = (Object.keys(KINDS) as KeyKind[]).find((one) => flags[one])!
    const graceMs = parseDuration(flags.grace, '--grace')
    const app = await this.open(flags)
    const { id } = await chooseApp(app, args.app)
    if (graceMs === 0) {
      await this.out.confirm(`The present ${KINDS[kind]} of app ${id} stops working at once. Go on?`, flags.yes)
    }
    const key = await app.inTransaction((tx) => tx.apps.rotate(id, kind, graceMs))
    const { isoOffset } = await import('../../../../platform/clock.ts')
    const { shortTime } = await import('../../../output/present.ts')
    const ends = app.kernel.clock.now() + graceMs
    this.out.value({ id, kind, [FIELDS[kind]]: key, oldKeyExpiresAt: isoOffset(ends) })
    this.out.fields({ [KINDS[kind]]: key, 'old key': graceMs === 0 ? 'ended' : `ends ${shortTime(ends)}` })
    this.out.note('Keep the key now: it is not shown again.')
  }
}
