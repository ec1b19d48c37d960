import { Flags } from '@oclif/core'
import { pushTemplateArgs } from '../../input/args.ts'
import { checked } from '../../input/checked.ts'
import { readPushTemplateFile, textFlags } from '../../input/push-template.ts'
import { appCommand } from '../../kinds/app-command.ts'
import { showRequests } from '../../push/show-requests.ts'

export const PushTemplatesPreview = appCommand({
  summary: 'Print the request that each gateway would get for a push template, with its size; sends nothing',
  description:
    'FILE holds what a send says itself beside the push template: a key of it wins. Exits with 65 if the push is too large for a ' +
    'gateway. To see who would get it, name the push template in a file for appsvc notify --dry-run.',
  examples: [
    'appsvc push-templates preview --app 1 shipped',
    'appsvc push-templates preview --app 1 shipped --title "Your bread is on its way"',
    'appsvc push-templates preview --app 1 shipped --file own.json --json',
  ],
  args: pushTemplateArgs,
  flags: {
    file: Flags.string({ helpValue: 'FILE', description: 'JSON file with what the send says itself, or -' }),
    ...textFlags,
  },
  async read({ flags: { file, title, message, url }, io }) {
    const { previewPushTemplate, pushTemplateOverride } = await import('../../../domain/push-templates/schema.ts')
    const given = await readPushTemplateFile(io, file, {}, { title, message, url })
    return pushTemplateOverride(await checked(previewPushTemplate, given))
  },
  async work({ program, appId, args, input: own, out, exit }) {
    const { presentPushTemplatePreview } = await import('../../../present/api/push-templates.ts')
    const preview = await program.pushTemplates.preview(appId, args.uid, own)
    const requests = preview.gateways.map(({ platform, request }) => ({ platform, ...request }))
    out.value(presentPushTemplatePreview(preview))
    if (showRequests(out, requests)) exit(65)
  },
})
