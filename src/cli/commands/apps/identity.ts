import { Flags } from '@oclif/core'
import { SIGNING_MODES } from '../../../domain/crm/types.ts'
import { chooseApp } from '../../input/app.ts'
import { parseDuration } from '../../input/duration.ts'
import { BaseCommand, textArg } from '../../kinds/base.ts'

const MEANING = {
  off: 'off: devices name users by plain identifiers; tokens that are out there go on working',
  optional: 'optional: devices name users by tokens or by plain identifiers',
  require: 'require: devices name users by tokens only',
} as const

export class AppsIdentity extends BaseCommand {
  static override summary = 'Let devices speak for a user only with a token that your server signed'
  static override description =
    'The first time it is switched on, a signing key is shown this once: your server makes tokens with it, or asks for them with ' +
    'POST /v1/users/{userId}/token. A running server obeys a change within seconds. Without flags: shows what is set.'
  static override examples = [
    '<%= config.bin %> apps identity 1 --optional',
    '<%= config.bin %> apps identity 1 --require',
    '<%= config.bin %> apps identity 1 --rotate --grace 30d',
  ]
  static override args = { app: textArg({ description: 'id or name' }) }
  static override flags = {
    require: Flags.boolean({ description: 'tokens only', exclusive: ['optional', 'off'] }),
    optional: Flags.boolean({ description: 'tokens and plain identifiers', exclusive: ['off'] }),
    off: Flags.boolean({ description: 'plain identifiers' }),
    rotate: Flags.boolean({ description: 'make a new signing key, shown this once' }),
    grace: Flags.string({
      helpValue: '30d',
      dependsOn: ['rotate'],
      description: 'how long tokens of the old key go on working',
    }),
    yes: Flags.boolean({ char: 'y', description: 'do not ask' }),
  }

  async run(): Promise<void> {
    const { args, flags } = await this.parse(AppsIdentity)
    const mode = SIGNING_MODES.find((one) => flags[one])
    const graceMs = parseDuration(flags.grace ?? '0', '--grace')
    const app = await this.open(flags)
    const { id, name } = await chooseApp(app, args.app)
    if (flags.rotate && graceMs === 0 && (await app.signedIds.report(id)).keys.length > 0) {
      await this.out.confirm(`Every token of app ${id} that is out there stops working at once. Go on?`, flags.yes)
    }
    const { key, report } = await app.inTransaction(async ({ signedIds }) => {
      const rotated = flags.rotate ? await signedIds.rotate(id, graceMs) : undefined
      const made = mode === undefined ? undefined : await signedIds.setMode(id, mode)
      return { key: rotated ?? made, report: await signedIds.report(id) }
    })
    const { isoOffset, isoOffsetOrNull } = await import('../../../platform/clock.ts')
    const { shortTime } = await import('../../output/present.ts')
    this.out.value({
      app: id,
      mode: report.mode,
      ...(key !== undefined && { signingKey: key }),
      keys: report.keys.map(({ hint, createdAt, expiresAt }) => ({
        hint,
        createdAt: isoOffset(createdAt),
        expiresAt: isoOffsetOrNull(expiresAt),
      })),
    })
    this.out.fields({ app: `${id} ${name}`, 'signed users': MEANING[report.mode], 'signing key': key })
    for (const { hint, createdAt, expiresAt } of report.keys) {
      const ends = expiresAt === null ? 'in force' : `tokens of it work until ${shortTime(expiresAt)}`
      this.out.line(`key ${hint} of ${shortTime(createdAt)}: ${ends}`)
    }
    if (key !== undefined) this.out.note('Keep the key now: it is not shown again. Only your server may know it.')
  }
}
