import { segmentArgs } from '../../input/args.ts'
import { appCommand } from '../../kinds/app-command.ts'
import { printable } from '../../output/output.ts'
import { shortTime } from '../../output/present.ts'

export const SegmentsCount = appCommand({
  summary: 'Count the reachable installs of a segment, and keep the number for segments list',
  description: 'Every install of the app is checked. The number stays until the filter changes.',
  examples: ['appsvc segments count --app 1 3'],
  args: segmentArgs,
  async work({ program, appId, args, out }) {
    const [{ segmentKey }, { presentSegment }] = await Promise.all([
      import('../../../domain/segments/schema.ts'),
      import('../../../present/api/segments.ts'),
    ])
    const { segments } = program
    const segment = await segments.get(appId, segmentKey(args.segment))
    const size = await segments.measure(appId, segment, true)
    const counted = await program.inTransaction((tx) => tx.segments.noteSize(segment, size))
    out.value(presentSegment(counted))
    out.fields({
      segment: `${counted.id} ${printable(counted.name)}`,
      size: counted.size,
      counted: shortTime(counted.sizedAt),
    })
  },
})
