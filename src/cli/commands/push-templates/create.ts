import { Flags } from '@oclif/core'
import { AppError } from '../../../platform/errors.ts'
import { appArg } from '../../input/args.ts'
import { checked } from '../../input/checked.ts'
import { readPushTemplateFile, textFlags } from '../../input/push-template.ts'
import { appCommand } from '../../kinds/app-command.ts'

export const PushTemplatesCreate = appCommand({
  summary: 'Store the content of a push, which sends name with content.template',
  description:
    'The file is JSON with the content of a send: content, ios, android, buttons; see docs/push-templates.md.',
  examples: [
    'appsvc push-templates create --app 1 --uid shipped --title "On its way" --message "We have sent your order."',
    'appsvc push-templates create --app 1 --uid sale --name "Summer sale" --file sale.json',
    `echo '{"content": {"title": "Hello", "message": "We are open"}}' | appsvc push-templates create --app 1 --uid hello --file -`,
  ],
  args: { app: appArg },
  flags: {
    uid: Flags.string({
      helpValue: 'UID',
      description: 'uid by which sends refer to it; default: that of the file, or a new one',
    }),
    name: Flags.string({ helpValue: 'NAME', description: 'display name' }),
    file: Flags.string({ helpValue: 'FILE', description: 'JSON file with the push template, or - for standard input' }),
    ...textFlags,
  },
  async read({ flags: { uid, name, file, title, message, url }, io }) {
    if ([file, title, message].every((one) => one === undefined)) {
      throw new AppError('usage', 'give --file FILE, or --title and --message')
    }
    const { createPushTemplate, newPushTemplate } = await import('../../../domain/push-templates/schema.ts')
    const given = await readPushTemplateFile(io, file, { uid, name }, { title, message, url })
    return newPushTemplate(await checked(createPushTemplate, given))
  },
  async work({ program, appId, input, out }) {
    const { presentPushTemplate } = await import('../../../present/api/push-templates.ts')
    const template = await program.inTransaction((tx) => tx.pushTemplates.create(appId, input))
    out.value(presentPushTemplate(template))
    out.fields({ 'push template': template.uid, name: template.name, version: template.version })
    out.note(`To see what gateways would get: appsvc push-templates preview --app ${appId} ${template.uid}`)
  },
})
