import type { Accepted } from '../../domain/notifications/accept/sends.service.ts'
import { isSmall } from '../../domain/notifications/request/request.ts'
import { fromMessagesForm, messagesForm } from '../../domain/notifications/schema.ts'
import { SOURCE } from '../../domain/notifications/types.ts'
import { parseJson } from '../../platform/values/parse.ts'
import { presentNotification } from '../../present/api/notifications.ts'
import type { Program } from '../../program.ts'
import { type Deliver, deliverBy, NOTIFICATIONS, type Result, resultOfAccepted } from './result.ts'
import { measuring, sharedWrites } from './shared-writes.ts'

/** Accepts notifications into the local database, as the HTTP interface does. `isServed`: a server runs on the same SQLite file. */
export function intoDatabase(program: Program, appId: number, { isServed }: { isServed: boolean }): Deliver {
  const measure = measuring(program, program.sends.measure)
  const accept = sharedWrites(program, {
    isServed,
    accept: (tx, { request, measured }: Measured) => tx.sends.accept(appId, SOURCE.cli, request, measured),
    shares: ({ request }) => isSmall(request),
  })
  return deliverBy(NOTIFICATIONS, async (value) => {
    const request = fromMessagesForm(parseJson(messagesForm, value))
    return resultOf(await accept({ request, measured: await measure(appId, request) }))
  })
}

interface Measured {
  request: ReturnType<typeof fromMessagesForm>
  measured: Awaited<ReturnType<Program['sends']['measure']>>
}

/** The response that the HTTP interface would give. */
function resultOf({ notification, errors }: Accepted): Result {
  return resultOfAccepted(NOTIFICATIONS, notification && presentNotification(notification), errors)
}
