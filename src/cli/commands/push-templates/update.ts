import { Flags } from '@oclif/core'
import { AppError } from '../../../platform/errors.ts'
import { pushTemplateArgs } from '../../input/args.ts'
import { checked } from '../../input/checked.ts'
import { readPushTemplateFile } from '../../input/push-template.ts'
import { appCommand } from '../../kinds/app-command.ts'
import { printable } from '../../output/output.ts'

export const PushTemplatesUpdate = appCommand({
  summary: 'Change a push template: the parts in the file replace the stored ones, all others are kept',
  description:
    'Creates a new version unless only the name changes; the newest 100 are kept. What was sent or is scheduled keeps its content.',
  examples: [
    'appsvc push-templates update --app 1 shipped --file shipped.json',
    'appsvc push-templates update --app 1 shipped --name "Order shipped"',
  ],
  args: pushTemplateArgs,
  flags: {
    name: Flags.string({ helpValue: 'NAME', description: 'new display name' }),
    file: Flags.string({ helpValue: 'FILE', description: 'JSON file with the changes, or - for standard input' }),
  },
  async read({ flags: { name, file }, io }) {
    if (name === undefined && file === undefined) {
      throw new AppError('usage', 'nothing to change: give --name, --file or both')
    }
    const { pushTemplateChange, updatePushTemplate } = await import('../../../domain/push-templates/schema.ts')
    return pushTemplateChange(await checked(updatePushTemplate, await readPushTemplateFile(io, file, { name })))
  },
  async work({ program, appId, args, input: change, out }) {
    const { presentPushTemplate } = await import('../../../present/api/push-templates.ts')
    const [before, template] = await program.inTransaction(async ({ pushTemplates }) => [
      await pushTemplates.lock(appId, args.uid),
      await pushTemplates.update(appId, args.uid, change),
    ])
    out.value(presentPushTemplate(template))
    const { uid, version } = template
    const name = printable(template.name)
    if (version !== before.version) out.line(`Push template ${uid} (${name}) is now version ${version}.`)
    else if (template.name !== before.name)
      out.line(`Push template ${uid} is renamed to ${name}; its version stays ${version}.`)
    else out.line(`Push template ${uid} (${name}) is unchanged; its version stays ${version}.`)
  },
})
