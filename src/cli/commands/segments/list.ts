import { optionalAppArg } from '../../input/args.ts'
import { listCommand } from '../../kinds/list-command.ts'
import { printable } from '../../output/output.ts'
import { shortTime } from '../../output/present.ts'
import { sizeInWords } from '../../output/segment-words.ts'

export const SegmentsList = listCommand({
  summary: 'List the segments of an app',
  examples: ['appsvc segments list --app 1', 'appsvc segments list --app 1 --json'],
  args: { app: optionalAppArg },
  things: 'segments',
  none: 'There are no segments yet. Create one with appsvc segments create.',
  head: ['ID', 'NAME', 'SIZE', 'COUNTED', 'UUID', 'CHANGED'],
  async page({ program, appId, flags }) {
    const { presentSegment } = await import('../../../present/api/segments.ts')
    const { segments, next } = await program.segments.list(appId, { after: flags.after, limit: flags.limit })
    const rows = segments.map((one) => [
      one.id,
      printable(one.name),
      sizeInWords(one),
      shortTime(one.sizedAt),
      one.uuid,
      shortTime(one.updatedAt),
    ])
    return { json: { segments: segments.map(presentSegment) }, rows, next }
  },
})
