import type { Clock } from '../../../platform/clock.ts'
import { wholeNumber } from '../../../platform/lenient.ts'
import type { TypesOf } from '../../events/event-types.ts'
import type { EventContext, EventHandler, HandledEvent } from '../../events/handler.ts'
import {
  REACTION_KINDS,
  type ReactionCounts,
  type ReactionKind,
  type ReactionTimes,
  type UserMessage,
  type UserMessagesRepository,
} from './user-messages.repository.ts'

/** Message type code of an in-app message; 1 is a push (docs/reference/device-protocol.md section 4). */
const IN_APP = 2

/** What the other devices of the user must learn of. */
const TOLD: readonly ReactionKind[] = ['dismissed', 'read', 'inboxDeleted']

/** What one event says. */
interface Reaction {
  identifier: string
  messageId: number
  kind: ReactionKind
  /** Milliseconds. */
  at: number
}

export interface ReactionsParts {
  repo: Pick<UserMessagesRepository, 'lock' | 'update' | 'count'>
  clock: Clock
}

/**
 * What devices report about in-app messages. Devices repeat themselves and a user has several, so only the first reaction of each
 * kind of a user counts. Events about messages that the user does not have change nothing.
 */
export function createReactionHandler({ repo, clock }: ReactionsParts): EventHandler<Reaction, TypesOf<'in-app'>> {
  const told =
    (kind: ReactionKind) =>
    ({ data, at }: HandledEvent, { userIdentifier, speaksForUser }: EventContext): Reaction | undefined => {
      const messageId = wholeNumber(data.id)
      if (wholeNumber(data.type) !== IN_APP || messageId === null || messageId <= 0 || !speaksForUser) return undefined
      return { identifier: userIdentifier, messageId, kind, at }
    }

  async function react(appId: number, all: readonly Reaction[]): Promise<void> {
    const said = firstTimes(all)
    const changed: UserMessage[] = []
    const counts = new Map<number, ReactionCounts>()
    for (const { identifier, ...state } of await repo.lock(appId, [...said.values()])) {
      const { times } = said.get(keyOf(identifier, state.messageId))!
      const news = REACTION_KINDS.filter((kind) => state[kind] === null && times[kind] !== null)
      if (news.length === 0) continue
      const count = counts.get(state.messageId) ?? nothing()
      for (const kind of news) count[kind]++
      counts.set(state.messageId, count)
      // A device whose clock is behind cannot have seen it before it was sent.
      const learnt = Object.fromEntries(news.map((kind) => [kind, Math.max(times[kind]!, state.sentAt)]))
      const updatedAt = news.some((kind) => TOLD.includes(kind)) ? clock.now() : state.updatedAt
      changed.push({ ...state, ...learnt, updatedAt })
    }
    if (changed.length === 0) return
    await repo.update(changed)
    await repo.count(appId, counts)
  }

  return {
    read: {
      'k.message.delivered': told('delivered'),
      'k.message.opened': told('shown'),
      'k.message.dismissed': told('dismissed'),
      'k.message.read': told('read'),
      'k.message.inbox.deleted': told('inboxDeleted'),
    },
    act: react,
  }
}

const keyOf = (identifier: string, messageId: number) => `${messageId} ${identifier}`

const nothing = (): ReactionCounts => ({ delivered: 0, shown: 0, dismissed: 0, read: 0, inboxDeleted: 0 })

/** User and message -> when each thing happened first. */
function firstTimes(all: readonly Reaction[]) {
  const found = new Map<string, { identifier: string; messageId: number; times: ReactionTimes }>()
  for (const { identifier, messageId, kind, at } of all) {
    const key = keyOf(identifier, messageId)
    const times = found.get(key)?.times ?? {
      delivered: null,
      shown: null,
      dismissed: null,
      read: null,
      inboxDeleted: null,
    }
    times[kind] = Math.min(times[kind] ?? at, at)
    found.set(key, { identifier, messageId, times })
  }
  return found
}
