import type { App } from '../../app.ts'
import type { Accepted } from '../../domain/notifications/accept.ts'
import { fromMessagesForm, messagesForm } from '../../domain/notifications/schema.ts'
import { SOURCE } from '../../domain/notifications/types.ts'
import { parseJson } from '../../platform/parse.ts'
import { presentNotification } from '../../server/present/notifications.ts'
import { type Deliver, NOTIFICATIONS, type Result, refusalOf, resultOf } from './result.ts'

/** Takes notifications as the HTTP interface does, straight into the database. */
export function intoDatabase(app: App, appId: number): Deliver {
  return async (value) => {
    try {
      const request = fromMessagesForm(parseJson(messagesForm, value))
      return resultOfAccepted(await app.inTransaction((tx) => tx.notifications.accept(appId, SOURCE.cli, request)))
    } catch (error) {
      return refusalOf(NOTIFICATIONS, error)
    }
  }
}

/** 202, or 400 when nobody who was named can be reached. */
export function resultOfAccepted({ notification, errors }: Accepted): Result {
  const some = Object.keys(errors).length > 0
  if (notification === null) return resultOf(NOTIFICATIONS, 400, null, errors)
  return resultOf(NOTIFICATIONS, 202, presentNotification(notification), some ? errors : null)
}
