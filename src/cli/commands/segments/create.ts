import { Flags } from '@oclif/core'
import { chooseApp } from '../../input/app.ts'
import { readJsonFile } from '../../input/files.ts'
import { BaseCommand, textArg } from '../../kinds/base.ts'
import { printable } from '../../output/output.ts'

export class SegmentsCreate extends BaseCommand {
  static override summary = 'Make a segment: a named filter over the installs of an app'
  static override description = 'The filter is JSON; docs/segments.md explains it.'
  static override examples = [
    '<%= config.bin %> segments create 1 --name "Gold on iOS" --filter gold.json',
    `echo '{"field": "os", "op": "equals", "value": "iOS"}' | <%= config.bin %> segments create 1 --name iOS --filter -`,
  ]
  static override args = { app: textArg({ required: true, description: 'id or name' }) }
  static override flags = {
    name: Flags.string({ required: true, helpValue: 'NAME', description: 'what people call it' }),
    filter: Flags.string({
      required: true,
      helpValue: 'FILE',
      description: 'JSON file with the filter; - for standard input',
    }),
  }

  async run(): Promise<void> {
    const { args, flags } = await this.parse(SegmentsCreate)
    const [{ createSegment }, { parseJson }, { presentSegment }] = await Promise.all([
      import('../../../domain/segments/schema.ts'),
      import('../../../platform/parse.ts'),
      import('../../../server/present/segments.ts'),
    ])
    const input = parseJson(createSegment, {
      name: flags.name,
      filter: await readJsonFile(this.io, flags.filter, '--filter'),
    })
    const app = await this.open(flags)
    const { id } = await chooseApp(app, args.app)
    const segment = await app.inTransaction((tx) => tx.segments.create(id, input))
    this.out.value(presentSegment(segment))
    this.out.fields({ segment: segment.id, name: segment.name, uuid: segment.uuid })
    this.out.note(`Whom it means: appsvc segments preview ${printable(args.app)} ${segment.id}`)
  }
}
