import { Flags } from '@oclif/core'
import { AppError } from '../../../platform/errors.ts'
import { isPlainObject } from '../../../platform/json/json.ts'
import { appFlag, textArg } from '../../input/args.ts'
import { checked } from '../../input/checked.ts'
import { readJsonFile } from '../../input/files.ts'
import { appCommand } from '../../kinds/app-command.ts'
import { writeOutput } from '../../output/file.ts'

export const InAppPreviewCommand = appCommand({
  summary: 'Show an in-app message as one user would get it; sends nothing',
  description:
    'FILE holds the body of POST {messages_url}/v1/in-app-messages; a target is not needed. Without --user, texts are as they are written. ' +
    'Exits with 65 if the user would get nothing. To see who would get it, use appsvc notify --in-app --dry-run.',
  examples: [
    'appsvc in-app preview message.json --user anna',
    'appsvc in-app preview message.json --user anna --html anna.html',
    'appsvc in-app preview message.json --json',
  ],
  args: { file: textArg({ required: true, description: 'JSON file, or - for standard input' }) },
  flags: {
    app: appFlag,
    user: Flags.string({ helpValue: 'ID', description: 'identifier of the user as whom the message is shown' }),
    html: Flags.string({ helpValue: 'FILE', description: 'write a page that shows the message in a browser' }),
  },
  async read({ args, io }) {
    const { fromInAppForm, inAppForm } = await import('../../../domain/in-app/request/request.ts')
    const value = await readJsonFile(io, args.file, 'FILE')
    if (!isPlainObject(value)) throw new AppError('bad_request', 'FILE must contain one JSON object')
    return fromInAppForm(await checked(inAppForm, { ...value, target: { broadcast: true } }))
  },
  async work({ program, appId, flags: { user, html }, input: request, out, io, exit }) {
    const [preview, { presentMessagePreview }] = await Promise.all([
      program.inApp.preview(appId, request, user),
      import('../../../present/api/in-app.ts'),
    ])
    const { shown, language, push, missing, tooLarge, warnings } = preview
    if (html !== undefined && shown) {
      const { previewPage } = await import('../../../server/renderer/preview.ts')
      await writeOutput(io, html, previewPage(shown.content, { title: request.template }), '--html')
    }
    out.value({ ...presentMessagePreview(preview), ...(html !== undefined && shown && { file: html }) })
    for (const warning of warnings) out.note(`Warning: ${warning}`)
    if (language !== null) out.fields({ language })
    if (push) out.fields({ push: `${push.title}: ${push.message}` })
    if (shown?.inbox) out.fields({ inbox: `${shown.inbox.title}: ${shown.inbox.subtitle}` })
    if (missing.length > 0) out.fields({ missing: missing.join(', ') })
    if (shown && html === undefined) out.document(shown.content)
    else if (shown) out.line(`${html} shows the message.`)
    else out.line(tooLarge ? 'The user would get nothing: it is too large.' : 'The user would get nothing.')
    if (!shown) exit(65)
  },
})
