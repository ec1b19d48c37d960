import type { Edit } from '../../../domain/schedules/edit.ts'
import { AppError } from '../../../platform/errors.ts'
import type { Job, None } from '../../kinds/app-command.ts'
import type { Io } from '../../process/io.ts'

/**
 * Edits a scheduled in-app message and says what it has become. People need a second person for its push where an owner says so, by
 * whatever door they come; programs on the machine do not.
 */
export async function editMessage(
  { program, appId, out, io }: Pick<Job<None, None, unknown>, 'program' | 'appId' | 'out'> & { io: Io },
  id: number,
  edit: Edit,
): Promise<void> {
  const [{ changesPush, WITHOUT_PUSH }, { presentInAppReport }, { scheduleInWords }] = await Promise.all([
    import('../../../domain/in-app/edit/merge.ts'),
    import('../../../present/api/in-app.ts'),
    import('../../output/notification-words.ts'),
  ])
  program.kernel.disk.takeIn()
  const isPerson = io.caller !== undefined
  if (isPerson && changesPush(await program.inApp.get(appId, id), edit)) {
    await program.approvals.requireNone(appId, WITHOUT_PUSH)
  }
  const measured = await program.inAppEdits.measure(appId, id, edit)
  const { message } = await program.inTransaction((tx) => tx.inAppEdits.edit(appId, id, edit, measured))
  if (!message) {
    throw new AppError('bad_request', `nobody that the target names can get it: in-app message ${id} is unchanged`)
  }
  program.kernel.wake()
  out.value(presentInAppReport(await program.inApp.report(appId, id)))
  const { schedule } = message
  out.line(
    schedule === null
      ? `In-app message ${id} is being sent.`
      : `In-app message ${id} is edited: it is due ${scheduleInWords(schedule)}.`,
  )
}
