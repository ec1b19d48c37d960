import { segmentArgs } from '../../input/args.ts'
import { deleteCommand } from '../../kinds/delete-command.ts'
import { printable } from '../../output/output.ts'

export const SegmentsDelete = deleteCommand({
  summary: 'Delete a segment that no unfinished notification uses',
  examples: ['appsvc segments delete --app 1 3', 'appsvc segments delete --app 1 3 --yes'],
  args: segmentArgs,
  async find({ program, appId, args }) {
    const { segmentKey } = await import('../../../domain/segments/schema.ts')
    const { id, uuid, name } = await program.segments.get(appId, segmentKey(args.segment))
    return {
      what: `segment ${id} (${printable(name)})`,
      remove: (tx) => tx.segments.delete(appId, { id }),
      json: { id, uuid, deleted: true },
      done: `Segment ${id} is deleted.`,
    }
  },
})
