import { Flags } from '@oclif/core'
import { AppError } from '../../../platform/errors.ts'
import { appArg } from '../../input/args.ts'
import { checked } from '../../input/checked.ts'
import { readTemplateFile } from '../../input/template.ts'
import { appCommand } from '../../kinds/app-command.ts'

export const TemplatesCreate = appCommand({
  summary: 'Create a template for in-app messages, from a file or from a starter',
  description: 'The file is JSON; see docs/templates.md.',
  examples: [
    'appsvc templates create --app 1 --uid welcome --starter welcome',
    'appsvc templates create --app 1 --uid news --name "News of the week" --file news.json',
    `echo '{"content": {"ver": 1, "frame": {"type": "alert", "nodes": [{"type": "heading", "text": "{{Title}}"}]}}, "tags": [{"title": "Title", "type": "text"}]}' | appsvc templates create --app 1 --uid note --file -`,
  ],
  args: { app: appArg },
  flags: {
    uid: Flags.string({
      helpValue: 'UID',
      description: 'uid by which messages refer to it; default: that of the file, or a new one',
    }),
    name: Flags.string({ helpValue: 'NAME', description: 'display name' }),
    file: Flags.string({ helpValue: 'FILE', description: 'JSON file with the template, or - for standard input' }),
    starter: Flags.string({
      helpValue: 'NAME',
      description: 'built-in template to start from (see appsvc templates starters)',
    }),
  },
  async read({ flags: { uid, name, starter, file }, io }) {
    if ((file === undefined) === (starter === undefined)) {
      throw new AppError('usage', 'give either --file FILE or --starter NAME')
    }
    const { createTemplate, newTemplate } = await import('../../../domain/templates/schema.ts')
    return newTemplate(await checked(createTemplate, await readTemplateFile(io, file, { uid, name, starter })))
  },
  async work({ program, appId, input, out }) {
    const { presentWholeTemplate } = await import('../../../present/api/templates.ts')
    const template = await program.inTransaction((tx) => tx.templates.create(appId, input))
    out.value(presentWholeTemplate(template))
    out.fields({ template: template.uid, name: template.name, version: template.version })
    out.note(`To see it with its sample values: appsvc templates preview --app ${appId} ${template.uid}`)
  },
})
