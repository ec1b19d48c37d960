import { personalPartsOf } from '../../domain/notifications/accept/personal-preview.ts'
import { isPersonal } from '../../domain/notifications/personal/compiled-content.ts'
import { fromMessagesForm, messagesForm } from '../../domain/notifications/schema.ts'
import { USUAL_SAMPLE } from '../../domain/personalization/request/sample-size.ts'
import { repeatsOf } from '../../domain/schedules/recurrence.ts'
import { parseJson } from '../../platform/values/parse.ts'
import { presentSendPreview } from '../../present/api/notifications.ts'
import type { Program } from '../../program.ts'
import { type Deliver, deliverBy, NOTIFICATIONS, resultOfAccepted } from './result.ts'

/** Reports the recipients of a notification and the request to each gateway. Stores and sends nothing. */
export function dryRun(program: Program, appId: number): Deliver {
  return deliverBy(NOTIFICATIONS, async (value) => {
    const request = fromMessagesForm(parseJson(messagesForm, value))
    const judged = await program.sends.judge(appId, request)
    const result = resultOfAccepted(NOTIFICATIONS, judged.reachable ? judged : null, judged.errors)
    if (!judged.reachable) return result
    const draft = { ...judged, userMeta: request.userMeta }
    const { counted, coverage } = isPersonal(judged.content)
      ? await program.drafts.measure(appId, draft, judged.target, USUAL_SAMPLE)
      : { counted: await program.audience.count(appId, judged.target) }
    const { errors: _, ...preview } = presentSendPreview(
      judged.errors,
      await program.drafts.describe(appId, judged, counted, request.confirm),
      personalPartsOf(draft, { coverage }),
      repeatsOf(request, program.kernel.clock.now()),
    )
    return { ...result, notification: null, preview }
  })
}
