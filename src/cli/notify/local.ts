import { isSmall } from '../../domain/notifications/request/request.ts'
import { fromMessagesForm, messagesForm } from '../../domain/notifications/schema.ts'
import { SOURCE } from '../../domain/notifications/types.ts'
import { sendPush } from '../../domain/series/send.ts'
import { parseJson } from '../../platform/values/parse.ts'
import { presentAccepted } from '../../present/api/notifications.ts'
import type { Program } from '../../program.ts'
import { type Deliver, deliverBy, NOTIFICATIONS, type Result, resultOfAccepted } from './result.ts'
import { measuring, sharedWrites } from './shared-writes.ts'

/** Accepts notifications into the local database, as the HTTP interface does. `isServed`: a server runs on the same SQLite file. */
export function intoDatabase(program: Program, appId: number, { isServed }: { isServed: boolean }): Deliver {
  const measure = measuring(program, program.sends.measure)
  const accept = sharedWrites(program, {
    isServed,
    accept: (tx, asked: Measured) => sendPush(tx, appId, { ...asked, source: SOURCE.cli }),
    shares: ({ request }) => isSmall(request),
  })
  return deliverBy(NOTIFICATIONS, async (value) => {
    const body = parseJson(messagesForm, value)
    const request = fromMessagesForm(body)
    return resultOf(await accept({ body, request, measured: await measure(appId, request) }))
  })
}

interface Measured {
  body: object
  request: ReturnType<typeof fromMessagesForm>
  measured: Awaited<ReturnType<Program['sends']['measure']>>
}

/** The response that the HTTP interface would give. */
function resultOf(accepted: Parameters<typeof presentAccepted>[0]): Result {
  const { notification, series } = presentAccepted(accepted)
  return resultOfAccepted(NOTIFICATIONS, notification, accepted.errors, series)
}
