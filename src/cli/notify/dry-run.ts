import type { App } from '../../app.ts'
import { fromMessagesForm, messagesForm } from '../../domain/notifications/schema.ts'
import { parseJson } from '../../platform/values/parse.ts'
import { presentSendPreview } from '../../present/api/notifications.ts'
import { type Deliver, deliverBy, NOTIFICATIONS, resultOfAccepted } from './result.ts'

/** Reports who would get a notification and the request to each gateway. Stores and sends nothing. */
export function dryRun(app: App, appId: number): Deliver {
  return deliverBy(NOTIFICATIONS, async (value) => {
    const request = fromMessagesForm(parseJson(messagesForm, value))
    const judged = await app.sends.judge(appId, request)
    const result = resultOfAccepted(NOTIFICATIONS, judged.reachable ? judged : null, judged.errors)
    if (!judged.reachable) return result
    const counted = await app.audience.count(appId, judged.target)
    const { errors: _, ...preview } = presentSendPreview(
      judged.errors,
      await app.drafts.describe(appId, judged, counted, request.confirm),
    )
    return { ...result, notification: null, preview }
  })
}
