import type { LoggedEvent } from './types.ts'

/** An event as everybody outside gets it: from the cursor API, in webhooks, in a stream. */
export function eventJson(event: LoggedEvent) {
  return {
    id: event.cursor,
    type: event.type,
    timestamp: new Date(event.happenedAt).toISOString(),
    receivedAt: new Date(event.receivedAt).toISOString(),
    userId: event.userIdentifier,
    installId: event.installId,
    uuid: event.uuid,
    data: event.data ?? {},
  }
}
