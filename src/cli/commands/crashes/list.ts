import { Flags } from '@oclif/core'
import type { App } from '../../../app.ts'
import { CRASH_PLATFORMS, type CrashFilter, type CrashPlatform } from '../../../domain/crashes/types.ts'
import { readPage } from '../../../platform/db/pages.ts'
import { chooseApp } from '../../input/app.ts'
import { parseDuration } from '../../input/duration.ts'
import { BaseCommand, textArg } from '../../kinds/base.ts'
import { pageFlags, showPage } from '../../kinds/pages.ts'
import { printable } from '../../output/output.ts'

const { after, limit } = pageFlags()

export class CrashesList extends BaseCommand {
  static override summary = 'List crash reports of an app, newest first, one by one or by what looks like one fault'
  static override examples = [
    '<%= config.bin %> crashes list',
    '<%= config.bin %> crashes list 1 --groups --since 7d',
    '<%= config.bin %> crashes list 1 --platform android --fault 1f0c5a7e93b2d864 --json',
  ]
  static override args = { app: textArg({ description: 'id or name; not needed while there is only one app' }) }
  static override flags = {
    platform: Flags.string({ options: [...CRASH_PLATFORMS], description: 'only of this kind of app' }),
    since: Flags.string({ helpValue: 'TIME', description: 'only received in the last 24h, 7d and so on' }),
    fault: Flags.string({ helpValue: 'FINGERPRINT', description: 'only of this fault (see --groups)' }),
    groups: Flags.boolean({ exclusive: ['after'], description: 'count reports and installs of each fault instead' }),
    after,
    limit,
  }

  async run(): Promise<void> {
    const { args, flags } = await this.parse(CrashesList)
    const app = await this.open(flags)
    const filter: CrashFilter = {
      platform: flags.platform as CrashPlatform | undefined,
      fingerprint: flags.fault,
      since: flags.since === undefined ? undefined : app.kernel.clock.now() - parseDuration(flags.since, '--since'),
    }
    const { id } = await chooseApp(app, args.app)
    if (flags.groups) return this.#showGroups(app, id, filter, flags.limit)
    const [{ presentCrash }, { shortTime }] = await Promise.all([
      import('../../../server/present/crashes.ts'),
      import('../../output/present.ts'),
    ])
    const { rows: crashes, last } = await readPage(flags.limit, (most) =>
      app.crashes.list(id, filter, flags.after, most),
    )
    const next = last?.id ?? null
    this.out.value({ crashes: crashes.map(presentCrash), next })
    showPage(
      this.out,
      ['ID', 'WHEN', 'PLATFORM', 'APP', 'OS', 'DEVICE', 'EXCEPTION', 'FRAME'],
      crashes.map((one) => [
        one.id,
        shortTime(one.happenedAt),
        one.platform,
        short(one.appVersion, 16),
        short(one.osVersion, 12),
        short(one.device, 24),
        short(one.exception ?? one.message, 48),
        short(one.frame, 60),
      ]),
      { after: flags.after, next, things: 'crash reports', none: 'There are no crash reports.' },
    )
  }

  async #showGroups(app: App, appId: number, filter: CrashFilter, limit: number): Promise<void> {
    const [{ presentCrashGroup }, { shortTime }] = await Promise.all([
      import('../../../server/present/crashes.ts'),
      import('../../output/present.ts'),
    ])
    const groups = await app.crashes.groups(appId, filter, limit)
    this.out.value({ groups: groups.map(presentCrashGroup) })
    this.out.table(
      ['FAULT', 'REPORTS', 'INSTALLS', 'LAST', 'NEWEST', 'PLATFORM', 'EXCEPTION', 'FRAME'],
      groups.map((one) => [
        one.fingerprint,
        one.reports,
        one.installs,
        shortTime(one.lastAt),
        one.lastId,
        one.platform,
        short(one.exception ?? one.message, 48),
        short(one.frame, 60),
      ]),
      'There are no crash reports.',
    )
  }
}

function short(text: string | null, most: number): string {
  const shown = printable(text)
  return shown.length > most ? `${shown.slice(0, most - 1)}…` : shown
}
