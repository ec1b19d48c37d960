import { Flags } from '@oclif/core'
import { AppError } from '../../../platform/errors.ts'
import { appArg, textArg } from '../../input/args.ts'
import { readCheckedFilter } from '../../input/segment.ts'
import { appCommand } from '../../kinds/app-command.ts'
import { printable } from '../../output/output.ts'

export const SegmentsPreview = appCommand({
  summary: 'Count the reachable installs that match a segment now, and show the first of them',
  description: 'With --filter, previews a filter that is not stored.',
  examples: ['appsvc segments preview --app 1 3', 'appsvc segments preview --app 1 --filter gold.json'],
  args: { app: appArg, segment: textArg({ description: 'segment id or UUID' }) },
  flags: {
    filter: Flags.string({ helpValue: 'FILE', description: 'JSON file with the filter, or - for standard input' }),
  },
  appLeads: (_words, flags) => flags.filter !== undefined,
  async read({ args, flags, io }) {
    if ((args.segment === undefined) === (flags.filter === undefined)) {
      throw new AppError('usage', 'give either a segment or --filter FILE')
    }
    return flags.filter === undefined ? undefined : readCheckedFilter(io, flags.filter)
  },
  async work({ program, appId, args, input: filter, out }) {
    const [{ segmentKey }, { presentSegmentPreview }] = await Promise.all([
      import('../../../domain/segments/schema.ts'),
      import('../../../present/api/segments.ts'),
    ])
    const { segments } = program
    const found = filter ? segments.previewOf(appId, filter) : segments.preview(appId, segmentKey(args.segment!))
    const preview = presentSegmentPreview(await found)
    out.value(preview)
    out.fields({ matching: preview.total, ...preview.platforms })
    if (preview.total === 0) return
    out.line()
    out.table(
      ['INSTALL', 'USER', 'PLATFORM'],
      preview.first.map(({ installId, userId, platform }) => [printable(installId), printable(userId), platform]),
      '',
    )
  },
})
