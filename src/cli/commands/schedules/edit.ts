import type { Edit } from '../../../domain/schedules/edit.ts'
import { AppError } from '../../../platform/errors.ts'
import type { Job, None } from '../../kinds/app-command.ts'
import type { Io } from '../../process/io.ts'

/**
 * Edits a scheduled notification and says what it has become. People need a second person where an owner says so, by whatever door
 * they come; programs on the machine do not.
 */
export async function editSchedule(
  { program, appId, out, io }: Pick<Job<None, None, unknown>, 'program' | 'appId' | 'out'> & { io: Io },
  id: number,
  edit: Edit,
): Promise<void> {
  const [{ ASK_AGAIN, changesMoreThanTime }, { presentReport }, { scheduleInWords }] = await Promise.all([
    import('../../../domain/notifications/edit/merge.ts'),
    import('../../../present/api/notifications.ts'),
    import('../../output/notification-words.ts'),
  ])
  program.kernel.disk.takeIn()
  if (io.caller !== undefined && changesMoreThanTime(edit)) await program.approvals.requireNone(appId, ASK_AGAIN)
  const measured = await program.edits.measure(appId, id, edit)
  const { notification } = await program.inTransaction((tx) => tx.edits.edit(appId, id, edit, measured))
  if (!notification) {
    throw new AppError('bad_request', `nobody that the target names can be reached: notification ${id} is unchanged`)
  }
  program.kernel.wake()
  out.value(presentReport(await program.notifications.report(appId, id)))
  const { schedule } = notification
  out.line(
    schedule === null
      ? `Notification ${id} is being sent.`
      : `Notification ${id} is edited: it is due ${scheduleInWords(schedule)}.`,
  )
}
