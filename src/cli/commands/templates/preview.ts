import { Flags } from '@oclif/core'
import { templateArgs } from '../../input/args.ts'
import { readTagValues } from '../../input/template.ts'
import { appCommand } from '../../kinds/app-command.ts'
import { writeOutput } from '../../output/file.ts'

export const TemplatesPreview = appCommand({
  summary: 'Print the document that a message created from a template would show, or render it as HTML',
  description: 'Without --content and --set, uses the sample values of the template.',
  examples: [
    'appsvc templates preview --app 1 welcome',
    'appsvc templates preview --app 1 news --set "Title=Closed on Monday" --set Price=12.50',
    'appsvc templates preview --app 1 welcome --html welcome.html',
    'appsvc templates preview --app 1 news --content values.json --json',
  ],
  args: templateArgs,
  flags: {
    content: Flags.string({ helpValue: 'FILE', description: 'JSON file with values by tag, or - for standard input' }),
    set: Flags.string({
      multiple: true,
      multipleNonGreedy: true,
      helpValue: 'TITLE=VALUE',
      description: 'value of a tag; may be repeated',
    }),
    html: Flags.string({ helpValue: 'FILE', description: 'write a page that shows the message in a browser' }),
  },
  read: ({ flags, io }) => readTagValues(io, flags.content, flags.set),
  async work({ program, appId, args, flags: { html }, input: values, out, io }) {
    const [rendered, { presentRendered }] = await Promise.all([
      program.templates.preview(appId, args.uid, values),
      import('../../../present/api/templates.ts'),
    ])
    if (html !== undefined) {
      const { previewPage } = await import('../../../server/renderer/preview.ts')
      await writeOutput(io, html, previewPage(rendered.content, { title: args.uid }), '--html')
    }
    out.value({ ...presentRendered(rendered), ...(html !== undefined && { file: html }) })
    if (html === undefined) out.document(rendered.content)
    else out.line(`${html} shows version ${rendered.version} of ${args.uid}.`)
  },
})
