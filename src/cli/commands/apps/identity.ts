import { Flags } from '@oclif/core'
import { SIGNING_MODES } from '../../../domain/crm/types.ts'
import { isoOffset, isoOffsetOrNull } from '../../../platform/time/clock.ts'
import { optionalAppArg, yesFlag } from '../../input/args.ts'
import { parseDuration } from '../../input/duration.ts'
import { appCommand } from '../../kinds/app-command.ts'
import { shortTime } from '../../output/present.ts'

const MEANING = {
  off: 'off: devices identify users by plain identifiers; issued tokens keep working',
  optional: 'optional: devices identify users by tokens or plain identifiers',
  require: 'require: devices identify users by tokens only',
} as const

export const AppsIdentity = appCommand({
  summary: 'Require devices to identify users by tokens signed by your server',
  description:
    'Turning this on for the first time prints a signing key, which is shown only once. Your server signs tokens with it, or requests ' +
    'them with POST /v1/users/{userId}/token. A running server applies changes within seconds. Without flags, prints the current setting.',
  examples: [
    'appsvc apps identity 1 --optional',
    'appsvc apps identity 1 --require',
    'appsvc apps identity 1 --rotate --grace 30d',
  ],
  subject: true,
  args: { app: optionalAppArg },
  flags: {
    require: Flags.boolean({ description: 'accept tokens only', exclusive: ['optional', 'off'] }),
    optional: Flags.boolean({ description: 'accept tokens and plain identifiers', exclusive: ['off'] }),
    off: Flags.boolean({ description: 'accept plain identifiers' }),
    rotate: Flags.boolean({ description: 'create a new signing key, shown only once' }),
    grace: Flags.string({
      helpValue: '30d',
      dependsOn: ['rotate'],
      description: 'how long tokens signed with the old key stay valid',
    }),
    yes: yesFlag,
  },
  read: ({ flags }) => ({
    mode: SIGNING_MODES.find((one) => flags[one]),
    graceMs: parseDuration(flags.grace ?? '0', '--grace'),
  }),
  async work({ program, chosen: { id, name }, input: { mode, graceMs }, flags, out }) {
    if (flags.rotate && graceMs === 0 && (await program.signedIds.report(id)).keys.length > 0) {
      await out.confirm(`All issued tokens of app ${id} stop working immediately. Continue?`, flags.yes)
    }
    const { key, report } = await program.inTransaction(async ({ signedIds }) => {
      const rotated = flags.rotate ? await signedIds.rotate(id, graceMs) : undefined
      const made = mode === undefined ? undefined : await signedIds.setMode(id, mode)
      return { key: rotated ?? made, report: await signedIds.report(id) }
    })
    out.value({
      app: id,
      mode: report.mode,
      ...(key !== undefined && { signingKey: key }),
      keys: report.keys.map(({ hint, createdAt, expiresAt }) => ({
        hint,
        createdAt: isoOffset(createdAt),
        expiresAt: isoOffsetOrNull(expiresAt),
      })),
    })
    out.fields({ app: `${id} ${name}`, 'signed users': MEANING[report.mode], 'signing key': key })
    for (const { hint, createdAt, expiresAt } of report.keys) {
      const state = expiresAt === null ? 'active' : `its tokens are valid until ${shortTime(expiresAt)}`
      out.line(`key ${hint} created ${shortTime(createdAt)}: ${state}`)
    }
    if (key !== undefined) out.note('Save the key now: it is not shown again. Only your server may know it.')
  },
})
