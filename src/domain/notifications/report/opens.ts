import type { EventContext, EventHandler, EventHandlers, HandledEvent } from '../../events/handlers.ts'
import type { EventData } from '../../events/types.ts'
import type { NotificationsRepository } from '../repository.ts'
import type { OpensRepository, Reaction } from './opens.repository.ts'

/** Message type code of a push; 2 is an in-app message (docs/reference/device-protocol.md section 4). */
const PUSH = 1

export interface OpensParts {
  repo: Pick<NotificationsRepository, 'find'>
  opens: Pick<OpensRepository, 'recordFirst' | 'count' | 'userMeta'>
}

/**
 * What devices tell about notifications. They repeat themselves, so only the first of each kind and install counts. Adds the
 * notification's `reportingMeta` and its `userMeta` of the event's user to the stored event. An event about something else, or
 * about a notification that this app does not have, is left as it is.
 */
export function notificationEventHandlers({ repo, opens }: OpensParts): EventHandlers {
  async function react(
    reaction: Reaction,
    id: number,
    event: HandledEvent,
    context: EventContext,
  ): Promise<EventData | void> {
    const { appId, install, userIdentifier } = context
    const notification = await repo.find(appId, id)
    if (!notification) return
    const seen = { appId, notificationId: id, installRow: install.row, userIdentifier, at: event.at }
    if (await opens.recordFirst(reaction, seen)) await opens.count(reaction, appId, id)
    const userMeta = notification.hasUserMeta ? await opens.userMeta(appId, id, userIdentifier) : undefined
    return {
      ...(notification.reportingMeta && { reportingMeta: notification.reportingMeta }),
      ...(userMeta !== undefined && { userMeta }),
    }
  }

  const onMessage =
    (reaction: Reaction): EventHandler =>
    async (event, context) => {
      const id = readInteger(event.data.id)
      if (id !== undefined && readInteger(event.data.type) === PUSH) return react(reaction, id, event, context)
    }

  return {
    'k.message.delivered': onMessage('delivered'),
    'k.message.opened': onMessage('opened'),
    'k.message.dismissed': onMessage('dismissed'),
    // Apps from before in-app messages: there was only one kind of message.
    async 'k.push.opened'(event, context) {
      const id = readInteger(event.data.id)
      if (id !== undefined) return react('opened', id, event, context)
    },
  }
}

/** A positive integer; old apps send them as text. */
function readInteger(value: unknown): number | undefined {
  const number = typeof value === 'string' && /^\d{1,15}$/.test(value) ? Number(value) : value
  return typeof number === 'number' && Number.isSafeInteger(number) && number > 0 ? number : undefined
}
