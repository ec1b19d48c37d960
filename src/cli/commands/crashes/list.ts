import { Flags } from '@oclif/core'
import { CRASH_PLATFORMS, type CrashFilter, type CrashPlatform } from '../../../domain/crashes/types.ts'
import { readPage } from '../../../platform/db/pages.ts'
import type { Program } from '../../../program.ts'
import { optionalAppArg } from '../../input/args.ts'
import { parseDuration } from '../../input/duration.ts'
import { appCommand } from '../../kinds/app-command.ts'
import { pageFlags, showPage } from '../../kinds/list-command.ts'
import { type Output, printable } from '../../output/output.ts'
import { shortTime } from '../../output/present.ts'

const { after, limit } = pageFlags()

export const CrashesList = appCommand({
  summary: 'List the crash reports of an app, newest first; --groups counts them by fault',
  examples: [
    'appsvc crashes list',
    'appsvc crashes list --app 1 --groups --since 7d',
    'appsvc crashes list --app 1 --platform android --fault 1f0c5a7e93b2d864 --json',
  ],
  args: { app: optionalAppArg },
  flags: {
    platform: Flags.string({ options: [...CRASH_PLATFORMS], description: 'only reports from this platform' }),
    since: Flags.string({ helpValue: 'TIME', description: 'only reports received in the last 24h, 7d, …' }),
    fault: Flags.string({ helpValue: 'FINGERPRINT', description: 'only reports of this fault (see --groups)' }),
    groups: Flags.boolean({
      exclusive: ['after'],
      description: 'list faults with their number of reports and installs',
    }),
    after,
    limit,
  },
  read: ({ flags }) => (flags.since === undefined ? undefined : parseDuration(flags.since, '--since')),
  async work({ program, appId, flags, input: sinceMs, out }) {
    const filter: CrashFilter = {
      platform: flags.platform as CrashPlatform | undefined,
      fingerprint: flags.fault,
      since: sinceMs === undefined ? undefined : program.kernel.clock.now() - sinceMs,
    }
    if (flags.groups) return showGroups(program, appId, filter, flags.limit, out)
    const { presentCrash } = await import('../../../present/api/crashes.ts')
    const { rows: crashes, last } = await readPage(flags.limit, (most) =>
      program.crashes.list(appId, filter, flags.after, most),
    )
    const next = last?.id ?? null
    out.value({ crashes: crashes.map(presentCrash), next })
    showPage(
      out,
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
  },
})

async function showGroups(
  program: Program,
  appId: number,
  filter: CrashFilter,
  limit: number,
  out: Output,
): Promise<void> {
  const { presentCrashGroup } = await import('../../../present/api/crashes.ts')
  const groups = await program.crashes.groups(appId, filter, limit)
  out.value({ groups: groups.map(presentCrashGroup) })
  out.table(
    ['FAULT', 'REPORTS', 'INSTALLS', 'LAST SEEN', 'LAST REPORT', 'PLATFORM', 'EXCEPTION', 'FRAME'],
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

function short(text: string | null, most: number): string {
  const shown = printable(text)
  return shown.length > most ? `${shown.slice(0, most - 1)}…` : shown
}
