import { Flags } from '@oclif/core'
import type { ReadTemplate } from '../../../domain/push-templates/types.ts'
import { isPlainObject } from '../../../platform/json/json.ts'
import { appArg, textArg } from '../../input/args.ts'
import { checked } from '../../input/checked.ts'
import { readJsonFile } from '../../input/files.ts'
import { appCommand } from '../../kinds/app-command.ts'
import { printable } from '../../output/output.ts'

/** A template of the file, and what became of it. */
interface Result {
  template: string
  result: 'created' | 'refused'
  version: number | null
  leftOut: string[]
  errors: Record<string, string[]> | null
}

export const PushTemplatesImport = appCommand({
  summary: 'Create push templates from those of another service',
  description:
    'FILE holds templates as the other service answers them, one or a list: of OneSignal what GET /templates/{id} answers (docs/moving/onesignal.md), ' +
    'of Pinpoint what aws pinpoint get-push-template prints (docs/moving/pinpoint.md). Each becomes a push template whose uid is its id or name ' +
    'there. Exits with 65 if any was refused.',
  examples: [
    'appsvc push-templates import --app 1 templates.json --from onesignal',
    'appsvc push-templates import --app 1 templates.json --from pinpoint',
  ],
  args: { app: appArg, file: textArg({ required: true, description: 'JSON file, or - for standard input' }) },
  flags: {
    from: Flags.string({
      required: true,
      options: ['onesignal', 'pinpoint'],
      description: 'service that the file comes from',
    }),
  },
  async read({ args, io }) {
    const value = await readJsonFile(io, args.file, 'FILE')
    return Array.isArray(value) ? (value as unknown[]) : [value]
  },
  async work({ program, appId, flags: { from }, input: templates, out, exit }) {
    const [read, { createPushTemplate, newPushTemplate }, { isAppError }] = await Promise.all([
      readerOf(from),
      import('../../../domain/push-templates/schema.ts'),
      import('../../../platform/errors.ts'),
    ])
    const results: Result[] = []
    for (const [i, given] of templates.entries()) {
      const template = nameOf(given) ?? `number ${i + 1}`
      try {
        const { body, leftOut } = read(given)
        const made = newPushTemplate(await checked(createPushTemplate, body))
        const { uid, version } = await program.inTransaction((tx) => tx.pushTemplates.create(appId, made))
        results.push({ template: uid, result: 'created', version, leftOut, errors: null })
      } catch (error) {
        if (!isAppError(error)) throw error
        const errors = error.details.fields ?? { '': [error.message] }
        results.push({ template, result: 'refused', version: null, leftOut: [], errors })
      }
    }
    out.value({ templates: results })
    out.table(
      ['TEMPLATE', 'RESULT', 'LEFT OUT'],
      results.map(({ template, result, leftOut }) => [
        printable(template),
        result,
        printable(leftOut.join(', ')) || '-',
      ]),
      'There are none in the file.',
    )
    for (const { template, errors } of results) {
      for (const [path, problems] of Object.entries(errors ?? {})) {
        out.line(printable(`${template}: ${path}${path === '' ? '' : ' '}${problems.join('; ')}`))
      }
    }
    if (results.some(({ result }) => result === 'refused')) exit(65)
  },
})

async function readerOf(service: string): Promise<(given: unknown) => ReadTemplate> {
  if (service === 'pinpoint') return (await import('../../../domain/push-templates/pinpoint/read.ts')).readPinpoint
  return (await import('../../../domain/push-templates/onesignal/read.ts')).readOneSignal
}

function nameOf(given: unknown): string | undefined {
  if (!isPlainObject(given)) return undefined
  const { id, PushNotificationTemplateResponse: inside = given } = given
  const name = isPlainObject(inside) ? inside.TemplateName : undefined
  return [id, name].find((one) => typeof one === 'string')
}
