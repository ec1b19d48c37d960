import { Flags } from '@oclif/core'
import { BaseCommand } from '../kinds/base.ts'
import { writeOutput } from '../output/file.ts'
import { countOf } from '../output/plural.ts'

export class OpenApi extends BaseCommand {
  static override summary = 'Print the OpenAPI document of the HTTP interface'
  static override examples = ['appsvc openapi', 'appsvc openapi --write docs/openapi.json']
  static override flags = {
    write: Flags.string({ helpValue: 'FILE', description: 'write to this file instead of standard output' }),
  }

  async run(): Promise<void> {
    const { flags } = await this.parse(OpenApi)
    const [{ buildOpenApi }, { openApiText, withSharedParts }, { routes }] = await Promise.all([
      import('../../server/openapi/document.ts'),
      import('../../server/openapi/text.ts'),
      import('../../server/routes.ts'),
    ])
    const document = buildOpenApi(routes)
    if (flags.write === undefined) {
      this.out.value(withSharedParts(document))
      this.out.line(openApiText(document).trimEnd())
      return
    }
    await writeOutput(this.io, flags.write, openApiText(document), '--write')
    const paths = Object.keys(document.paths).length
    this.out.value({ written: flags.write, paths })
    this.out.line(`${flags.write}: ${countOf(paths, 'path')}`)
  }
}
