import { Flags } from '@oclif/core'
import { AppError, ERRORS } from '../../../platform/errors.ts'
import { appLeadsFiles, importArgs } from '../../import/command.ts'
import { yesFlag } from '../../input/args.ts'
import { appCommand } from '../../kinds/app-command.ts'

export const ImportBranch = appCommand({
  summary: 'Import the links of Branch',
  description:
    'Reads CSV with a header, a JSON list or JSON lines. The path of each link becomes its slug, so that printed links keep working when their domain points here. Shows first what would be imported, and asks; --yes skips the question. Running it again changes nothing more. Exits with 65 if rows were refused. The guide: docs/moving/branch.md',
  examples: ['appsvc import branch 1 links.csv --fallback https://example.com --dry-run'],
  args: importArgs,
  appLeads: appLeadsFiles,
  flags: {
    fallback: Flags.string({
      helpValue: 'URL',
      description: 'where people without the app are sent if a link has no target of its own',
    }),
    'dry-run': Flags.boolean({ description: 'show what would be imported, and write nothing' }),
    yes: yesFlag,
    errors: Flags.string({ helpValue: 'FILE', description: 'write refused rows and the reasons to this CSV file' }),
  },
  async work({ program, appId, args, flags, out, io, onEnd, exit }) {
    const { moveLinks } = await import('../../import/links.ts')
    const { files } = args
    if (files.includes('-')) throw new AppError('usage', 'the files are read twice, so standard input cannot be one')
    const refused = await moveLinks({ program, appId, files, service: 'branch', given: flags, out, io, onEnd })
    if (refused > 0) exit(ERRORS.invalid.exit)
  },
})
