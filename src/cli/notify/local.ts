import type { Accepted } from '../../domain/notifications/accept/sends.service.ts'
import { fromMessagesForm, messagesForm } from '../../domain/notifications/schema.ts'
import { SOURCE } from '../../domain/notifications/types.ts'
import { parseJson } from '../../platform/values/parse.ts'
import { presentNotification } from '../../present/api/notifications.ts'
import type { Program } from '../../program.ts'
import { type Deliver, deliverBy, NOTIFICATIONS, type Result, resultOfAccepted } from './result.ts'

/** Accepts notifications into the local database, as the HTTP interface does. */
export function intoDatabase(program: Program, appId: number): Deliver {
  return deliverBy(NOTIFICATIONS, async (value) => {
    const request = fromMessagesForm(parseJson(messagesForm, value))
    const measured = await program.sends.measure(appId, request)
    return resultOf(await program.inTransaction((tx) => tx.sends.accept(appId, SOURCE.cli, request, measured)))
  })
}

/** The response that the HTTP interface would give. */
function resultOf({ notification, errors }: Accepted): Result {
  return resultOfAccepted(NOTIFICATIONS, notification && presentNotification(notification), errors)
}
