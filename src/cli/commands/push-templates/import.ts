import { Flags } from '@oclif/core'
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
    'FILE holds what the API of OneSignal answers to GET /templates/{id}, one or a list of them; see docs/moving/onesignal.md. Each ' +
    'becomes a push template whose uid is its id there. Exits with 65 if any was refused.',
  examples: ['appsvc push-templates import --app 1 templates.json --from onesignal'],
  args: { app: appArg, file: textArg({ required: true, description: 'JSON file, or - for standard input' }) },
  flags: {
    from: Flags.string({ required: true, options: ['onesignal'], description: 'service that the file comes from' }),
  },
  async read({ args, io }) {
    const value = await readJsonFile(io, args.file, 'FILE')
    return Array.isArray(value) ? (value as unknown[]) : [value]
  },
  async work({ program, appId, input: templates, out, exit }) {
    const [{ readOneSignal }, { createPushTemplate, newPushTemplate }, { isAppError }] = await Promise.all([
      import('../../../domain/push-templates/onesignal/read.ts'),
      import('../../../domain/push-templates/schema.ts'),
      import('../../../platform/errors.ts'),
    ])
    const results: Result[] = []
    for (const [i, given] of templates.entries()) {
      const template = nameOf(given) ?? `number ${i + 1}`
      try {
        const { body, leftOut } = readOneSignal(given)
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

function nameOf(given: unknown): string | undefined {
  const { id } = (given ?? {}) as { id?: unknown }
  return typeof id === 'string' ? id : undefined
}
