import { segmentArgs } from '../../input/args.ts'
import { appCommand } from '../../kinds/app-command.ts'
import { shortTime } from '../../output/present.ts'
import { sizeInWords } from '../../output/segment-words.ts'

export const SegmentsShow = appCommand({
  summary: 'Show a segment and its filter',
  examples: ['appsvc segments show --app 1 3', 'appsvc segments show --app 1 3 --json'],
  args: segmentArgs,
  async work({ program, appId, args, out }) {
    const [{ segmentKey }, { presentSegment }] = await Promise.all([
      import('../../../domain/segments/schema.ts'),
      import('../../../present/api/segments.ts'),
    ])
    const segment = await program.segments.get(appId, segmentKey(args.segment))
    out.value(presentSegment(segment))
    out.fields({
      segment: segment.id,
      name: segment.name,
      uuid: segment.uuid,
      size: segment.size === null ? undefined : `${sizeInWords(segment)}, counted ${shortTime(segment.sizedAt)}`,
      created: shortTime(segment.createdAt),
      changed: shortTime(segment.updatedAt),
    })
    out.line()
    out.document(segment.filter)
  },
})
