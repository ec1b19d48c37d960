import type { KeyRecord } from '../../../domain/apps/types.ts'
import { isoOffset, isoOffsetOrNull } from '../../../platform/time/clock.ts'
import { optionalAppArg } from '../../input/args.ts'
import { appCommand } from '../../kinds/app-command.ts'
import { presentApp, shortTime } from '../../output/present.ts'

export const AppsShow = appCommand({
  summary: 'Show an app, its API key, the first characters of its other keys, and its gateways',
  examples: ['appsvc apps show 1', 'appsvc apps show "My app"'],
  subject: true,
  args: { app: optionalAppArg },
  async work({ program, appId, chosen, out }) {
    const keys = await program.apps.keys(appId)
    const platforms = (await program.gateways.list(appId)).map((gateway) => gateway.platform)
    const shown = await presentApp(program, chosen)
    out.value({
      ...shown,
      apiKey: apiKeyOf(keys),
      keys: keys.map(({ kind, hint, value, createdAt, expiresAt }) => ({
        kind,
        hint,
        ...(value !== null && { value }),
        createdAt: isoOffset(createdAt),
        expiresAt: isoOffsetOrNull(expiresAt),
      })),
      gateways: platforms,
    })
    out.fields({
      id: shown.id,
      name: shown.name,
      account: shown.accountId,
      'API key': apiKeyOf(keys) ?? undefined,
      'link host': shown.linkHost,
      'time zone': shown.timezone ?? undefined,
      icon: shown.iconUrl ?? undefined,
      created: shortTime(chosen.createdAt),
      gateways: platforms.join(', ') || 'none (configure one with appsvc gateways set)',
    })
    out.line()
    out.table(
      ['KIND', 'KEY', 'CREATED', 'ENDS'],
      keys.map(({ kind, hint, value, createdAt, expiresAt }) => [
        kind,
        value ?? hint,
        shortTime(createdAt),
        shortTime(expiresAt),
      ]),
      'no keys',
    )
    if (apiKeyOf(keys) === null) {
      out.note(
        'The API key was made by an earlier version, which did not store it: apps keys rotate --api makes a new one.',
      )
    }
  },
})

/** The API key that has no end; null when it is not stored. */
function apiKeyOf(keys: readonly KeyRecord[]): string | null {
  return keys.find(({ kind, expiresAt }) => kind === 'api' && expiresAt === null)?.value ?? null
}
