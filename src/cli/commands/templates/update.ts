import { Flags } from '@oclif/core'
import { AppError } from '../../../platform/errors.ts'
import { templateArgs } from '../../input/args.ts'
import { checked } from '../../input/checked.ts'
import { readTemplateFile } from '../../input/template.ts'
import { appCommand } from '../../kinds/app-command.ts'
import { printable } from '../../output/output.ts'

export const TemplatesUpdate = appCommand({
  summary: 'Change a template: the parts in the file replace the stored ones, all others are kept',
  description:
    'Creates a new version unless only the name changes. Existing messages, including scheduled ones, keep the version they were created from.',
  examples: [
    'appsvc templates update --app 1 welcome --file welcome.json',
    'appsvc templates update --app 1 welcome --name "Hello"',
  ],
  args: templateArgs,
  flags: {
    name: Flags.string({ helpValue: 'NAME', description: 'new display name' }),
    file: Flags.string({ helpValue: 'FILE', description: 'JSON file with the changes, or - for standard input' }),
  },
  async read({ flags: { name, file }, io }) {
    if (name === undefined && file === undefined) {
      throw new AppError('usage', 'nothing to change: give --name, --file or both')
    }
    const { templateChange, updateTemplate } = await import('../../../domain/templates/schema.ts')
    return templateChange(await checked(updateTemplate, await readTemplateFile(io, file, { name })))
  },
  async work({ program, appId, args, input: change, out }) {
    const { presentWholeTemplate } = await import('../../../present/api/templates.ts')
    const [before, template] = await program.inTransaction(async ({ templates }) => [
      await templates.lock(appId, args.uid),
      await templates.update(appId, args.uid, change),
    ])
    out.value(presentWholeTemplate(template))
    const { uid, version } = template
    const name = printable(template.name)
    if (version !== before.version) out.line(`Template ${uid} (${name}) is now version ${version}.`)
    else if (template.name !== before.name)
      out.line(`Template ${uid} is renamed to ${name}; its version stays ${version}.`)
    else out.line(`Template ${uid} (${name}) is unchanged; its version stays ${version}.`)
  },
})
