import { Flags } from '@oclif/core'
import type { AppRecord } from '../../domain/apps/types.ts'
import { PRIORITIES } from '../../domain/consent/types.ts'
import { AppError } from '../../platform/errors.ts'
import { isMoved } from '../../platform/instance/custody.ts'
import { isPlainObject } from '../../platform/json/json.ts'
import { findApp } from '../input/app.ts'
import { appFlag, textArg } from '../input/args.ts'
import { BaseCommand, type GlobalFlags } from '../kinds/base.ts'
import type { Deliver, Kind } from '../notify/result.ts'
import { printable } from '../output/output.ts'
import { catchInterruption } from '../process/interruption.ts'

interface NotifyFlags extends GlobalFlags {
  app?: string | undefined
  url?: string | undefined
  'api-key'?: string | undefined
  'server-key-file'?: string | undefined
  'dry-run': boolean
  'in-app': boolean
  'from-line': number
  confirm?: number | undefined
  purpose?: string | undefined
  priority?: string | undefined
  label?: string[] | undefined
}

/** Maximum number of values under way: several transactions of the database; as many requests as a server elsewhere takes well. */
const AT_ONCE = { here: 256, elsewhere: 64 }

export class Notify extends BaseCommand {
  static override summary =
    'Send notifications or in-app messages: one JSON value, or many as JSON lines, from a file or standard input'
  static override description =
    'Each value is the body of POST {messages_url}/v2/notifications, or with --in-app of POST {messages_url}/v1/in-app-messages. Every ' +
    'value gives one result: the HTTP status of the equivalent request, the notification or message, and the errors; --json adds the line where the value begins (blank lines count). Exits with 65 if any was refused. Ctrl-C stops behind a line whose result is printed, and says which.'
  static override examples = [
    `echo '{"target":{"broadcast":true},"content":{"title":"Hello","message":"from appsvc"}}' | appsvc notify`,
    'appsvc notify --app 1 many.jsonl --json > results.jsonl',
    'appsvc notify --app 1 many.jsonl --from-line 4001',
    'appsvc notify --dry-run one.json',
    'appsvc notify --in-app message.json',
    'appsvc notify --confirm 250000 to-everybody.json',
    'appsvc notify --purpose news --priority normal to-everybody.json',
    'appsvc notify --label autumn-2026 --label shop to-everybody.json',
    'appsvc notify one.json --url https://push.example.com --api-key ak_… --server-key-file key.txt',
  ]
  static override args = { file: textArg({ default: '-', description: 'JSON file, or - for standard input' }) }
  static override flags = {
    app: appFlag,
    'dry-run': Flags.boolean({
      description: 'send nothing; print the recipients, and the gateway requests or what devices would show',
    }),
    url: Flags.string({
      helpValue: 'URL',
      description:
        'send to this server instead of using the local database: with the keys of the app, or a personal token (appsvc login)',
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
    'in-app': Flags.boolean({ description: 'send in-app messages instead of pushes' }),
    'from-line': Flags.integer({
      default: 1,
      min: 1,
      helpValue: 'N',
      description: 'skip the lines before this one, to continue a run that was stopped',
    }),
    confirm: Flags.integer({
      min: 0,
      helpValue: 'N',
      description: 'maximum number of recipients you expect per send, for apps that require it (see apps restrain)',
    }),
    purpose: Flags.string({
      helpValue: 'UID',
      description: 'purpose of every value that names none: users who do not allow it are left out',
    }),
    priority: Flags.string({
      options: PRIORITIES,
      description:
        'priority of every value that names none; transactional ignores quiet hours, frequency cap and purposes',
    }),
    label: Flags.string({
      multiple: true,
      multipleNonGreedy: true,
      helpValue: 'LABEL',
      description: 'label of every value that has none, by which lists and reports find it; up to five',
    }),
  }

  async run(): Promise<void> {
    const { ref, ...parsed } = await this.parseWithApp({ args: Notify.args, flags: Notify.flags })
    const { args, flags } = parsed as unknown as { args: { file: string }; flags: NotifyFlags }
    flags.app = ref
    const admitted = await this.io.caller?.admit(ref)
    const [{ openValues }, { pump }, { IN_APP, NOTIFICATIONS }, { warningOfBraces }] = await Promise.all([
      import('../notify/values.ts'),
      import('../notify/pump.ts'),
      import('../notify/result.ts'),
      import('../notify/braces.ts'),
    ])
    const kind = flags['in-app'] ? IN_APP : NOTIFICATIONS
    const limit = (await this.settings(flags)).config['limits.notificationBody']
    if (args.file === '-' && this.io.stdin.isTTY === true)
      this.out.note('Reading JSON from the terminal; press Ctrl-D to end.')
    const values = await openValues(this.io, args.file, { limit, fromLine: flags['from-line'] })
    this.onEnd(() => values.close())
    const plain = withDefaults(await this.#deliverer(flags, args.file, kind, admitted), flags)
    // A dry run says it beside everything else.
    const isWarned = kind === NOTIFICATIONS && !flags['dry-run']
    const deliver = isWarned ? warningOfBraces(plain, (text) => this.out.note(printable(text))) : plain
    const interruption = catchInterruption(this.io)
    this.onEnd(() => interruption.end())
    const { refused, sent } = await pump({
      kind,
      values,
      deliver,
      atOnce: flags.url === undefined ? AT_ONCE.here : AT_ONCE.elsewhere,
      out: this.out,
      io: this.io,
      dryRun: flags['dry-run'],
      interruption,
      // Standard input is at its end and cannot be asked. A caller would be asked by a second run, which sends again.
      ask: args.file === '-' || this.io.caller ? undefined : this.out.ask,
    })
    if (refused + sent === 0)
      throw new AppError('invalid', 'the input is empty: it must be one JSON value, or JSON lines')
    if (refused > 0) {
      this.out.note(`${refused} of ${refused + sent} refused`)
      this.exit(65)
    }
  }

  async #deliverer(flags: NotifyFlags, file: string, kind: Kind, admitted: AppRecord | undefined): Promise<Deliver> {
    if (flags.url !== undefined) {
      // A server calls no other server for anybody; the runner has refused the flag already.
      if (this.io.caller) throw new AppError('usage', '--url cannot be combined with a server on another machine')
      if (flags['dry-run'])
        throw new AppError('usage', '--dry-run uses the local database and cannot be combined with --url')
      if (flags.app !== undefined)
        throw new AppError('usage', '--app cannot be combined with --url, because the keys determine the app')
      const keyFile = flags['server-key-file']
      if (flags['api-key'] === undefined || keyFile === undefined) {
        throw new AppError('usage', '--url needs --api-key KEY and --server-key-file FILE')
      }
      if (keyFile === '-' && file === '-')
        throw new AppError('usage', 'standard input cannot be used for both the server key and the JSON values')
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
    const program = await this.open(flags)
    if (!flags['dry-run']) program.kernel.disk.takeIn()
    const { id } = admitted ?? (await findApp(program, flags.app))
    // People need a second person where an owner says so, by whatever door they come; programs on the machine do not.
    const isPerson = this.io.caller !== undefined
    if (isPerson && !flags['in-app'] && !flags['dry-run']) await program.approvals.requireNone(id)
    const inApp = flags['in-app'] ? await import('../notify/in-app.ts') : undefined
    if (flags['dry-run']) {
      if (inApp) return inApp.inAppDryRun(program, id)
      const { dryRun } = await import('../notify/dry-run.ts')
      return dryRun(program, id)
    }
    const [{ intoDatabase }, { isServed }, { holdOf }] = await Promise.all([
      import('../notify/local.ts'),
      import('../../doctor/state/served.ts'),
      import('../../doctor/state/hold.ts'),
    ])
    const hold = await holdOf(program)
    if (hold) {
      const when = isMoved(hold.reason) ? 'are not sent from this database' : 'are sent after appsvc release'
      this.out.note(`Notifications queued now ${when}: ${hold.sentence}`)
    }
    const served = await isServed(program)
    if (served === false) {
      this.out.note('No server runs on this database: notifications queued now are sent once appsvc serve runs.')
    }
    // A command for somebody on another machine runs in the server.
    const beside = { isServed: served === true || isPerson }
    return inApp ? inApp.inAppIntoDatabase(program, id, { isPerson, ...beside }) : intoDatabase(program, id, beside)
  }
}

/** Adds the given flags to each value, which may override them. */
function withDefaults(deliver: Deliver, { confirm, purpose, priority, label: labels }: NotifyFlags): Deliver {
  const defaults = present({ confirm, purpose, priority, labels })
  if (Object.keys(defaults).length === 0) return deliver
  return (value) => deliver(isPlainObject(value) ? { ...defaults, ...value } : value)
}

/** The values that are given. */
function present(values: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined))
}
