import { Flags } from '@oclif/core'
import { MAX_SAMPLE } from '../../../domain/personalization/request/sample-size.ts'
import { AppError } from '../../../platform/errors.ts'
import { isPlainObject } from '../../../platform/json/json.ts'
import { appFlag, textArg } from '../../input/args.ts'
import { checked } from '../../input/checked.ts'
import { readJsonFile } from '../../input/files.ts'
import { appCommand } from '../../kinds/app-command.ts'
import { coverageInWords } from '../../output/coverage-words.ts'
import { writeOutput } from '../../output/file.ts'

export const InAppPreviewCommand = appCommand({
  summary: 'Show an in-app message as one user would get it; sends nothing',
  description:
    'FILE holds the body of POST {messages_url}/v1/in-app-messages; a target is not needed. Without --user or --install, texts are as they ' +
    'are written. With --sample the audience of FILE is looked at (without a target: everybody). Exits with 65 if the user would get nothing. ' +
    'To see who would get it, use appsvc notify --in-app --dry-run.',
  examples: [
    'appsvc in-app preview message.json --user anna',
    'appsvc in-app preview message.json --language pt-BR',
    'appsvc in-app preview message.json --sample 1000',
    'appsvc in-app preview message.json --user anna --html anna.html',
    'appsvc in-app preview message.json --json',
  ],
  args: { file: textArg({ required: true, description: 'JSON file, or - for standard input' }) },
  flags: {
    app: appFlag,
    user: Flags.string({ helpValue: 'ID', description: 'identifier of the user as whom the message is shown' }),
    install: Flags.string({ helpValue: 'ID', description: 'as the user of this install gets it', exclusive: ['user'] }),
    language: Flags.string({ helpValue: 'TAG', description: 'in this language, whatever that of the user is' }),
    sample: Flags.integer({
      min: 1,
      max: MAX_SAMPLE,
      helpValue: 'N',
      description: 'what N of the audience would get: missing values, languages, examples',
    }),
    html: Flags.string({ helpValue: 'FILE', description: 'write a page that shows the message in a browser' }),
  },
  async read({ args, io, flags }) {
    const { fromInAppForm, inAppForm } = await import('../../../domain/in-app/request/request.ts')
    const value = await readJsonFile(io, args.file, 'FILE')
    if (!isPlainObject(value)) throw new AppError('bad_request', 'FILE must contain one JSON object')
    const target = flags.sample === undefined ? undefined : value.target
    return fromInAppForm(await checked(inAppForm, { ...value, target: target ?? { broadcast: true } }))
  },
  async work({ program, appId, flags: { html, sample, ...person }, input: request, out, io, exit }) {
    const [{ parsePerson }, { presentMessagePreview }] = await Promise.all([
      import('../../../domain/personalization/request/person.ts'),
      import('../../../present/api/in-app.ts'),
    ])
    const { user: userId, install: installId, language: asked } = person
    const preview = await program.inApp.preview(appId, request, parsePerson({ userId, installId, language: asked }))
    if (sample !== undefined) {
      const { targeting, consent } = request
      const saying = { request, sample }
      const { coverage, warnings } = await program.inApp.estimate(appId, { targeting, consent, saying })
      Object.assign(preview, { warnings, coverage })
    }
    const { shown, language, push, missing, defaults, tooLarge, warnings, coverage } = preview
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
    for (const { expression, text } of defaults) out.fields({ default: `${expression} says ${JSON.stringify(text)}` })
    if (coverage) for (const line of coverageInWords(coverage)) out.line(line)
    if (shown && html === undefined) out.document(shown.content)
    else if (shown) out.line(`${html} shows the message.`)
    else out.line(tooLarge ? 'The user would get nothing: it is too large.' : 'The user would get nothing.')
    if (!shown) exit(65)
  },
})
