import { Flags } from '@oclif/core'
import { AppError } from '../../../platform/errors.ts'
import { segmentArgs } from '../../input/args.ts'
import { checked } from '../../input/checked.ts'
import { readJsonFile } from '../../input/files.ts'
import { appCommand } from '../../kinds/app-command.ts'
import { printable } from '../../output/output.ts'

export const SegmentsUpdate = appCommand({
  summary: 'Change the name or the filter of a segment',
  description: 'Scheduled notifications use the filter that is stored when they are sent.',
  examples: [
    'appsvc segments update --app 1 3 --filter gold.json',
    'appsvc segments update --app 1 3 --name "Gold members"',
  ],
  args: segmentArgs,
  flags: {
    name: Flags.string({ helpValue: 'NAME', description: 'new name' }),
    filter: Flags.string({ helpValue: 'FILE', description: 'JSON file with the filter, or - for standard input' }),
  },
  async read({ flags, io }) {
    if (flags.name === undefined && flags.filter === undefined) {
      throw new AppError('usage', 'nothing to change: give --name, --filter or both')
    }
    const { updateSegment } = await import('../../../domain/segments/schema.ts')
    return checked(updateSegment, {
      ...(flags.name !== undefined && { name: flags.name }),
      ...(flags.filter !== undefined && { filter: await readJsonFile(io, flags.filter, '--filter') }),
    })
  },
  async work({ program, appId, args, input: change, out }) {
    const [{ segmentKey }, { presentSegment }] = await Promise.all([
      import('../../../domain/segments/schema.ts'),
      import('../../../present/api/segments.ts'),
    ])
    const segment = await program.inTransaction((tx) => tx.segments.update(appId, segmentKey(args.segment), change))
    out.value(presentSegment(segment))
    out.line(`Segment ${segment.id} (${printable(segment.name)}) is changed.`)
  },
})
