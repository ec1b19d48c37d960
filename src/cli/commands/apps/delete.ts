import { subjectAppArg, yesFlag } from '../../input/args.ts'
import { appCommand } from '../../kinds/app-command.ts'
import { printable } from '../../output/output.ts'
import { startProgress } from '../../output/progress.ts'

export const AppsDelete = appCommand({
  summary: 'Delete an app with its users, installs, notifications and credentials',
  description:
    'The keys of the app stop working within a second, and nothing more is sent for it. Its rows are then deleted in small steps, so that a ' +
    'running server keeps serving other apps; a million installs take some minutes. If the command is interrupted, run it again to continue.',
  examples: ['appsvc apps delete 2', 'appsvc apps delete 2 --yes'],
  subject: true,
  args: { app: subjectAppArg },
  flags: { yes: yesFlag },
  async work({ program, chosen: { id, name }, flags, out, io }) {
    await out.confirm(`Permanently delete app ${id} (${printable(name)}) and everything that belongs to it?`, flags.yes)
    const { deleteApp } = await import('../../../domain/apps/deletion.ts')
    const progress = await startProgress(io, 'row')
    try {
      const { inTransaction, kernel } = program
      await deleteApp({ inTransaction, clock: kernel.clock, onProgress: (rows) => progress.update(rows) }, id)
    } finally {
      progress.stop()
    }
    out.value({ id, deleted: true })
    out.line(`App ${id} is deleted.`)
  },
})
