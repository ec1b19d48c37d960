import { Flags } from '@oclif/core'
import { type Platform, platforms } from '../../../domain/gateways/registry.ts'
import { MAX_SAMPLE } from '../../../domain/personalization/request/sample-size.ts'
import { platformArg } from '../../credentials.ts'
import { findApp } from '../../input/app.ts'
import { appFlag, optionalAppArg, textArg } from '../../input/args.ts'
import { readSaying, requestOfSaying } from '../../input/saying.ts'
import { BaseCommand, type GlobalFlags } from '../../kinds/base.ts'

const isPlatform = (word: string) => (platforms as readonly string[]).includes(word)

interface PreviewFlags extends GlobalFlags {
  user?: string | undefined
  install?: string | undefined
  language?: string | undefined
  sample?: number | undefined
}

export class PushPreview extends BaseCommand {
  static override summary = 'Print the request that each gateway would get for a push, with its size; sends nothing'
  static override description =
    'FILE holds the body of POST {messages_url}/v2/notifications; a target is not needed. Needs no database, unless people are asked for: with ' +
    '--user or --install it prints the push as that person gets it, and with --sample what the audience of FILE would get (without a target: ' +
    'everybody). Without a person, template texts are as they are written. Exits with 65 if the push is too large for a gateway that is printed, ' +
    'or the person gets nothing. To see who would get it, use appsvc notify --dry-run.'
  static override examples = [
    'appsvc push preview push.json',
    'appsvc push preview push.json ios --json',
    'appsvc push preview push.json --language pt-BR',
    'appsvc push preview --app 1 push.json android --user anna',
    'appsvc push preview --app 1 push.json --sample 1000',
  ]
  static override args = {
    file: textArg({ required: true, description: 'JSON file, or - for standard input' }),
    platform: platformArg('only this gateway', false),
  }
  static override flags = {
    app: appFlag,
    user: Flags.string({ helpValue: 'ID', description: 'as this user gets it on the install that was active last' }),
    install: Flags.string({ helpValue: 'ID', description: 'as this install gets it', exclusive: ['user'] }),
    language: Flags.string({ helpValue: 'TAG', description: 'in this language, whatever that of the person is' }),
    sample: Flags.integer({
      min: 1,
      max: MAX_SAMPLE,
      helpValue: 'N',
      description: 'what N of the audience would get: missing values, languages, sizes, examples',
    }),
  }

  async run(): Promise<void> {
    const { ref, ...parsed } = await this.parseWithApp({
      args: { app: optionalAppArg, ...PushPreview.args },
      flags: PushPreview.flags,
      // Of two words the second one is a gateway, or the file behind an app.
      appLeads: ([, second]) => second !== undefined && !isPlatform(second),
    })
    const { args, flags } = parsed as unknown as { args: { file: string; platform?: Platform }; flags: PreviewFlags }
    const admitted = await this.io.caller?.admit(ref)
    const saying = await readSaying(this.io, args.file, 'FILE')
    const aimed = flags.sample === undefined ? undefined : saying.target
    const request = await requestOfSaying(saying, aimed ?? { broadcast: true })
    const { previewForPeople, previewOf, printPreview } = await import('../../push/push-preview.ts')
    const asked = { userId: flags.user, installId: flags.install, language: flags.language }
    const needsPeople = flags.user !== undefined || flags.install !== undefined || flags.sample !== undefined
    let found
    if (needsPeople) {
      const program = await this.open(flags)
      const { id } = admitted ?? (await findApp(program, ref))
      found = await previewForPeople(program, id, request, asked, flags.sample)
    } else found = await previewOf(request, flags.language)
    if (!printPreview(found, { out: this.out, platform: args.platform })) this.exit(65)
  }
}
