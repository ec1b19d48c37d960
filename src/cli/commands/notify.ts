import { Flags } from '@oclif/core'
import { AppError } from '../../platform/errors.ts'
import { isPlainObject } from '../../platform/json.ts'
import { appFlag, chooseApp } from '../input/app.ts'
import { BaseCommand, type GlobalFlags, textArg } from '../kinds/base.ts'
import type { Deliver, Kind } from '../notify/result.ts'

interface NotifyFlags extends GlobalFlags {
  app?: string | undefined
  url?: string | undefined
  'api-key'?: string | undefined
  'server-key-file'?: string | undefined
  'dry-run': boolean
  'in-app': boolean
  confirm?: number | undefined
}

export class Notify extends BaseCommand {
  static override summary =
    'Send notifications or in-app messages: one JSON value, or many as JSON lines, from a file or standard input'
  static override description =
    'The body format is that of POST {messages_url}/v2/notifications, with --in-app of POST {messages_url}/v1/in-app-messages. Every input line gives one result line: the HTTP status ' +
    'it would have had, the notification or message, the errors. Exit code 65 when any was refused.'
  static override examples = [
    `echo '{"target":{"broadcast":true},"content":{"title":"Hello","message":"from appsvc"}}' | <%= config.bin %> notify`,
    '<%= config.bin %> notify --app 1 many.jsonl --json > results.jsonl',
    '<%= config.bin %> notify --dry-run one.json',
    '<%= config.bin %> notify --in-app message.json',
    '<%= config.bin %> notify --confirm 250000 to-everybody.json',
    '<%= config.bin %> notify one.json --url https://push.example.com --api-key ak_… --server-key-file key.txt',
  ]
  static override args = { file: textArg({ default: '-', description: 'JSON file; - is standard input' }) }
  static override flags = {
    app: appFlag,
    'dry-run': Flags.boolean({
      description: 'send nothing: print who would get it, and what each gateway would be sent or devices would show',
    }),
    url: Flags.string({
      helpValue: 'URL',
      description: 'send over HTTP to this server instead of into the database here',
    }),
    'api-key': Flags.string({
      helpValue: 'KEY',
      description: 'with --url: the API key of the app',
      dependsOn: ['url'],
    }),
    'server-key-file': Flags.string({
      helpValue: 'FILE',
      description: 'with --url: file with the server key',
      dependsOn: ['url'],
    }),
    'in-app': Flags.boolean({ description: 'in-app messages instead of pushes' }),
    confirm: Flags.integer({
      min: 0,
      helpValue: 'N',
      description:
        'how many recipients each send is expected to have at most, for an app that demands it (apps restrain)',
    }),
  }

  async run(): Promise<void> {
    const { args, flags } = await this.parse(Notify)
    const [{ openValues }, { pump }, { IN_APP, NOTIFICATIONS }] = await Promise.all([
      import('../notify/values.ts'),
      import('../notify/pump.ts'),
      import('../notify/result.ts'),
    ])
    const kind = flags['in-app'] ? IN_APP : NOTIFICATIONS
    const limit = (await this.settings(flags)).config['limits.notificationBody']
    if (args.file === '-' && this.io.stdin.isTTY === true)
      this.out.note('Reading JSON from the terminal; end with Ctrl-D.')
    const values = await openValues(this.io, args.file, limit)
    this.onEnd(() => values.close())
    const deliver = withConfirmation(await this.#deliverer(flags, args.file, kind), flags.confirm)
    const { refused, sent } = await pump({
      kind,
      values,
      deliver,
      out: this.out,
      io: this.io,
      dryRun: flags['dry-run'],
      // Standard input that was read to its end is not there for an answer.
      ask: args.file === '-' ? undefined : this.out.ask,
    })
    if (refused + sent === 0)
      throw new AppError('invalid', 'there was nothing to read: give one JSON value, or JSON lines')
    if (refused > 0) {
      this.out.note(`${refused} of ${refused + sent} refused`)
      this.exit(65)
    }
  }

  async #deliverer(flags: NotifyFlags, file: string, kind: Kind): Promise<Deliver> {
    if (flags.url !== undefined) {
      if (flags['dry-run'])
        throw new AppError('usage', '--dry-run looks into the database here: it cannot be used with --url')
      if (flags.app !== undefined)
        throw new AppError('usage', 'with --url the keys say which app is meant: leave --app out')
      const keyFile = flags['server-key-file']
      if (flags['api-key'] === undefined || keyFile === undefined) {
        throw new AppError('usage', '--url needs --api-key KEY and --server-key-file FILE')
      }
      if (keyFile === '-' && file === '-')
        throw new AppError('usage', 'standard input cannot be both the key and what is sent')
      const [{ overHttp }, { readSecret }] = await Promise.all([
        import('../notify/http.ts'),
        import('../input/files.ts'),
      ])
      const serverKey = (await readSecret(this.io, keyFile, '--server-key-file')).trim()
      const target = {
        url: flags.url,
        apiKey: flags['api-key'],
        serverKey,
        warn: (text: string) => this.out.note(text),
      }
      return overHttp(kind, target)
    }
    const app = await this.open(flags)
    if (!flags['dry-run']) app.kernel.disk.takeIn()
    const { id } = await chooseApp(app, flags.app)
    const inApp = flags['in-app'] ? await import('../notify/in-app.ts') : undefined
    if (flags['dry-run']) {
      if (inApp) return inApp.inAppDryRun(app, id)
      const { dryRun } = await import('../notify/dry-run.ts')
      return dryRun(app, id)
    }
    const [{ intoDatabase }, { isServed }, { holdOf }] = await Promise.all([
      import('../notify/local.ts'),
      import('../state/served.ts'),
      import('../state/hold.ts'),
    ])
    const hold = await holdOf(app)
    if (hold) this.out.note(`What is queued now goes out after appsvc release: ${hold.sentence}`)
    if ((await isServed(app)) === false) {
      this.out.note('No server runs on this database: what is queued now goes out when appsvc serve runs.')
    }
    return inApp ? inApp.inAppIntoDatabase(app, id) : intoDatabase(app, id)
  }
}

/** Gives every value that has no `confirm` of its own the one of the flag. */
function withConfirmation(deliver: Deliver, confirm: number | undefined): Deliver {
  if (confirm === undefined) return deliver
  return (value) => deliver(isPlainObject(value) ? { confirm, ...value } : value)
}
