import { isoOffset, isoOffsetOrNull } from '../../../platform/clock.ts'
import { optionalAppArg } from '../../input/args.ts'
import { appCommand } from '../../kinds/app-command.ts'
import { linkHostOf, presentApp, shortTime } from '../../output/present.ts'

export const AppsShow = appCommand({
  summary: 'Show an app, the first characters of its keys, and its gateways',
  examples: ['appsvc apps show 1', 'appsvc apps show "My app"'],
  args: { app: optionalAppArg },
  async work({ app, appId, chosen, out }) {
    const keys = await app.apps.keys(appId)
    const platforms = (await app.gateways.list(appId)).map((gateway) => gateway.platform)
    const shown = presentApp(chosen, await linkHostOf(app, appId))
    out.value({
      ...shown,
      keys: keys.map(({ kind, hint, createdAt, expiresAt }) => ({
        kind,
        hint,
        createdAt: isoOffset(createdAt),
        expiresAt: isoOffsetOrNull(expiresAt),
      })),
      gateways: platforms,
    })
    out.fields({
      id: shown.id,
      name: shown.name,
      account: shown.accountId,
      'link host': shown.linkHost,
      created: shortTime(chosen.createdAt),
      gateways: platforms.join(', ') || 'none (configure one with appsvc gateways set)',
    })
    out.line()
    out.table(
      ['KEY', 'BEGINS', 'MADE', 'ENDS'],
      keys.map(({ kind, hint, createdAt, expiresAt }) => [kind, hint, shortTime(createdAt), shortTime(expiresAt)]),
      'no keys',
    )
  },
})
