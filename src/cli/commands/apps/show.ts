import { chooseApp } from '../../input/app.ts'
import { BaseCommand, textArg } from '../../kinds/base.ts'

export class AppsShow extends BaseCommand {
  static override summary = 'Show an app: its keys (their beginnings only) and its gateways'
  static override examples = ['<%= config.bin %> apps show 1', '<%= config.bin %> apps show "My app"']
  static override args = { app: textArg({ description: 'id or name' }) }

  async run(): Promise<void> {
    const { args, flags } = await this.parse(AppsShow)
    const app = await this.open(flags)
    const { linkHostOf, presentApp, shortTime } = await import('../../output/present.ts')
    const { isoOffset, isoOffsetOrNull } = await import('../../../platform/clock.ts')
    const found = await chooseApp(app, args.app)
    const keys = await app.apps.keys(found.id)
    const gateways = await app.gateways.list(found.id)
    const shown = presentApp(found, await linkHostOf(app, found.id))
    this.out.value({
      ...shown,
      keys: keys.map(({ kind, hint, createdAt, expiresAt }) => ({
        kind,
        hint,
        createdAt: isoOffset(createdAt),
        expiresAt: isoOffsetOrNull(expiresAt),
      })),
      gateways: gateways.map((gateway) => gateway.platform),
    })
    this.out.fields({
      id: shown.id,
      name: shown.name,
      account: shown.accountId,
      'link host': shown.linkHost,
      created: shortTime(found.createdAt),
      gateways: gateways.map((gateway) => gateway.platform).join(', ') || 'none: appsvc gateways set configures one',
    })
    this.out.line()
    this.out.table(
      ['KEY', 'BEGINS', 'MADE', 'ENDS'],
      keys.map(({ kind, hint, createdAt, expiresAt }) => [kind, hint, shortTime(createdAt), shortTime(expiresAt)]),
      'no keys',
    )
  }
}
