import { Flags } from '@oclif/core'
import { appArg } from '../../input/args.ts'
import { checked } from '../../input/checked.ts'
import { readJsonFile } from '../../input/files.ts'
import { appCommand } from '../../kinds/app-command.ts'

export const SegmentsCreate = appCommand({
  summary: 'Create a segment: a named filter over the installs of an app',
  description: 'The filter is JSON; see docs/segments.md.',
  examples: [
    'appsvc segments create --app 1 --name "Gold on iOS" --filter gold.json',
    `echo '{"field": "os", "op": "equals", "value": "iOS"}' | appsvc segments create --app 1 --name iOS --filter -`,
  ],
  args: { app: appArg },
  flags: {
    name: Flags.string({ required: true, helpValue: 'NAME', description: 'name of the segment' }),
    filter: Flags.string({
      required: true,
      helpValue: 'FILE',
      description: 'JSON file with the filter, or - for standard input',
    }),
  },
  async read({ flags, io }) {
    const { createSegment } = await import('../../../domain/segments/schema.ts')
    return checked(createSegment, { name: flags.name, filter: await readJsonFile(io, flags.filter, '--filter') })
  },
  async work({ program, appId, input, out }) {
    const { presentSegment } = await import('../../../present/api/segments.ts')
    const segment = await program.inTransaction((tx) => tx.segments.create(appId, input))
    out.value(presentSegment(segment))
    out.fields({ segment: segment.id, name: segment.name, uuid: segment.uuid })
    out.note(`To see who matches: appsvc segments preview --app ${appId} ${segment.id}`)
  },
})
