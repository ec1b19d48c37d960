import { Flags } from '@oclif/core'
import type { NewApp } from '../../../domain/apps/types.ts'
import { SNIPPET_NAMES, type Snippet, type SnippetName, snippetsFor } from '../../../present/snippets.ts'
import type { Program } from '../../../program.ts'
import { ALLOW_DUPLICATE, allowDuplicateFlag, textArg, timezoneFlag } from '../../input/args.ts'
import { inFlagNames } from '../../input/flag-names.ts'
import { BaseCommand } from '../../kinds/base.ts'
import { shellWord } from '../../output/shell.ts'
import { showSnippet } from '../../output/snippet.ts'

/** Field of an app -> flag. */
const NAMES = { accountId: 'account', timezone: 'timezone' }

export class AppsCreate extends BaseCommand {
  static override summary = 'Create an app and print its three keys, which are shown only once'
  static override examples = [
    'appsvc apps create "My app"',
    'appsvc apps create shop --json > shop-keys.json',
    `eval "$(appsvc apps create Bakery --env)"`,
  ]
  static override args = { name: textArg({ required: true, description: 'display name of the app' }) }
  static override flags = {
    'allow-duplicate': allowDuplicateFlag,
    env: Flags.boolean({
      exclusive: ['json'],
      description: 'print shell assignments (APPSVC_APP_ID=…) instead, for eval',
    }),
    for: Flags.option({
      options: SNIPPET_NAMES,
      exclusive: ['env'],
      description: 'also print code to begin with, with the keys filled in',
    })(),
    timezone: timezoneFlag,
    account: Flags.string({ helpValue: 'ID', description: 'owning account; the first account by default' }),
  }

  async run(): Promise<void> {
    const { args, flags } = await this.parse(AppsCreate)
    const [{ createApp, fromAppForm }, { parseText }] = await Promise.all([
      import('../../../domain/apps/schema.ts'),
      import('../../../platform/values/parse.ts'),
    ])
    const given = { name: args.name, accountId: flags.account, timezone: flags.timezone }
    const input = await inFlagNames(NAMES, async () => fromAppForm(parseText(createApp, given)))
    const program = await this.open(flags, { make: true })
    const created = await inFlagNames(NAMES, () =>
      program.inTransaction(async (tx) => {
        if (!flags['allow-duplicate']) await tx.apps.refuseTaken(input.name, { remedy: ALLOW_DUPLICATE })
        return tx.apps.create(input)
      }),
    )
    const { id, accountId, name, apiKey, serverKey, secretKey } = created
    const { linkHostOf } = await import('../../output/present.ts')
    const linkHost = await linkHostOf(program, id)
    const snippet = flags.for && (await this.#snippet(program, created, flags.for))
    this.out.value({ id, accountId, name, apiKey, serverKey, secretKey, linkHost, ...(snippet && { snippet }) })
    if (flags.env) {
      const [{ addressOf }, { APP_VARIABLES }] = await Promise.all([
        import('../../state/address.ts'),
        import('../../../platform/config/config.ts'),
      ])
      const values = [id, apiKey, serverKey, secretKey, linkHost, addressOf(program.kernel.config)]
      for (const [i, variable] of APP_VARIABLES.entries())
        this.out.line(`${variable}=${shellWord(String(values[i]), true)}`)
      return
    }
    this.out.fields({
      app: `${id} ${name}`,
      'API key': apiKey,
      'server key': serverKey,
      'secret key': secretKey,
      'link host': linkHost,
    })
    this.out.note(
      'Save the server key and the secret key now: they are not shown again. Servers use the API key and the server key; apps use the API key and the secret key.',
    )
    if (snippet) showSnippet(this.out, snippet)
    else if (this.io.stdout.isTTY) this.out.note(`Code to begin with: appsvc apps quickstart ${id}`)
  }

  async #snippet(program: Program, { apiKey, serverKey, secretKey }: NewApp, name: SnippetName): Promise<Snippet> {
    const { addressOf } = await import('../../state/address.ts')
    const url = addressOf(program.kernel.config)
    return snippetsFor({ url, apiKey, serverKey, secretKey }).find((one) => one.name === name)!
  }
}
