import type { Clock } from '../../../platform/time/clock.ts'
import { wholeNumber } from '../../../platform/values/lenient.ts'
import type { TypesOf } from '../../events/event-types.ts'
import type { EventContext, EventHandler, HandledEvent } from '../../events/handler.ts'
import type { InAppLanguageCount, InAppLanguageCounts } from './language-counts.repository.ts'
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

/** The kinds that the user's other devices must get with their next sync. */
const SYNCED_KINDS: readonly ReactionKind[] = ['dismissed', 'read', 'inboxDeleted']

/** The report of one event. */
interface Reaction {
  identifier: string
  messageId: number
  kind: ReactionKind
  /** Milliseconds. */
  at: number
}

export interface ReactionsParts {
  repo: Pick<UserMessagesRepository, 'lock' | 'update' | 'count'>
  languages: Pick<InAppLanguageCounts, 'countLanguages'>
  clock: Clock
}

/**
 * Records reports of devices about in-app messages. Devices repeat themselves and a user has several, so only the first report of
 * each kind and user counts. An event about something else, or about a message that the user does not have, is stored unchanged.
 */
export function createReactionHandler({
  repo,
  languages,
  clock,
}: ReactionsParts): EventHandler<Reaction, TypesOf<'in-app'>> {
  const read =
    (kind: ReactionKind) =>
    ({ data, at }: HandledEvent, { userIdentifier, speaksForUser }: EventContext): Reaction | undefined => {
      const messageId = wholeNumber(data.id)
      if (wholeNumber(data.type) !== IN_APP || messageId === null || messageId <= 0 || !speaksForUser) return undefined
      return { identifier: userIdentifier, messageId, kind, at }
    }

  async function act(appId: number, all: readonly Reaction[]): Promise<void> {
    const reported = firstTimes(all)
    const changed: UserMessage[] = []
    const counts = new Map<number, ReactionCounts>()
    const spoken = new Map<number, Map<string, InAppLanguageCount>>()
    for (const { identifier, ...state } of await repo.lock(appId, [...reported.values()])) {
      const { times } = reported.get(keyOf(identifier, state.messageId))!
      const newKinds = REACTION_KINDS.filter((kind) => state[kind] === null && times[kind] !== null)
      if (newKinds.length === 0) continue
      const count = counts.get(state.messageId) ?? nothing()
      for (const kind of newKinds) count[kind]++
      counts.set(state.messageId, count)
      if (state.language !== null) addToLanguage(spoken, state.messageId, state.language, newKinds)
      // A device whose clock is behind cannot have seen it before it was sent.
      const newTimes = Object.fromEntries(newKinds.map((kind) => [kind, Math.max(times[kind]!, state.sentAt)]))
      const updatedAt = newKinds.some((kind) => SYNCED_KINDS.includes(kind)) ? clock.now() : state.updatedAt
      changed.push({ ...state, ...newTimes, updatedAt })
    }
    if (changed.length === 0) return
    await repo.update(changed)
    await repo.count(appId, counts)
    for (const [id, byLanguage] of [...spoken].toSorted(([a], [b]) => a - b)) {
      await languages.countLanguages(appId, id, [...byLanguage.values()])
    }
  }

  return {
    read: {
      'k.message.delivered': read('delivered'),
      'k.message.opened': read('shown'),
      'k.message.dismissed': read('dismissed'),
      'k.message.read': read('read'),
      'k.message.inbox.deleted': read('inboxDeleted'),
    },
    act,
  }
}

function addToLanguage(
  counts: Map<number, Map<string, InAppLanguageCount>>,
  messageId: number,
  language: string,
  kinds: readonly ReactionKind[],
): void {
  const [shown, read] = [kinds.includes('shown') ? 1 : 0, kinds.includes('read') ? 1 : 0]
  if (shown + read === 0) return
  const ofMessage = counts.get(messageId) ?? new Map<string, InAppLanguageCount>()
  const before = ofMessage.get(language) ?? { language, recipients: 0, shown: 0, read: 0 }
  ofMessage.set(language, { ...before, shown: before.shown + shown, read: before.read + read })
  counts.set(messageId, ofMessage)
}

const keyOf = (identifier: string, messageId: number) => `${messageId} ${identifier}`

const nothing = (): ReactionCounts => ({ delivered: 0, shown: 0, dismissed: 0, read: 0, inboxDeleted: 0 })

/** User and message -> the time of the first report of each kind. */
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
