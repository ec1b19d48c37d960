import { readObject } from '../../../platform/json/json.ts'
import { Unreadable } from '../../../platform/values/unreadable.ts'
import type { ContentDocument } from '../../templates/types.ts'
import type { CompiledMessage, ShownTexts } from '../personal/compiled-message.ts'
import type { CompiledMessages } from '../personal/give-users.ts'
import type { PersonalParts, StoredContent, UserMessagesRepository } from '../record/user-messages.repository.ts'
import type { Inbox, PersonalContent } from '../types.ts'

interface PersonalContentParts {
  repo: Pick<UserMessagesRepository, 'personalParts' | 'texts'>
  compiled: CompiledMessages
}

/** Makes the function that finds what a user is shown of messages that differ between users, by message. */
export function createPersonalContent({ repo, compiled }: PersonalContentParts) {
  /** The compiled messages among `stored`. One that cannot be read is left out. */
  async function compiledOf(appId: number, stored: readonly StoredContent[]): Promise<Map<number, CompiledMessage>> {
    const found = new Map<number, CompiledMessage>()
    const unknown = stored.filter((one) => {
      const known = compiled.get(one)
      if (known) found.set(one.id, known)
      return !known
    })
    if (unknown.length === 0) return found
    const parts = await repo.personalParts(
      appId,
      unknown.map(({ id }) => id),
    )
    for (const one of unknown) {
      const content = contentOf(one, parts.get(one.id))
      const made = content && readable(() => compiled.add(one, content))
      if (made) found.set(one.id, made)
    }
    return found
  }

  /** `languageOf` tells the language in which the user got a message. */
  return async function personalContent(
    appId: number,
    userId: number,
    stored: readonly StoredContent[],
    languageOf: (id: number) => string | null,
  ): Promise<Map<number, ShownTexts>> {
    if (stored.length === 0) return new Map()
    const messages = await compiledOf(appId, stored)
    const kept = await repo.texts(userId, [...messages.keys()])
    return new Map(
      [...messages].map(([id, message]) => [id, message.show(languageOf(id), readObject(kept.get(id) ?? '{}') ?? {})]),
    )
  }
}

function contentOf({ content, data, personal }: StoredContent, parts: PersonalParts | undefined) {
  const read = (text: string | null | undefined) => (text == null ? null : (readObject(text) ?? null))
  const [document, own, tagValues] = [read(content), read(personal), read(parts?.tagValues)]
  if (!document || !own || !Array.isArray(own.tags) || !tagValues) return undefined
  return {
    content: document as unknown as ContentDocument,
    tagValues,
    data: read(data),
    inbox: read(parts?.inbox) as Inbox | null,
    personal: own as unknown as PersonalContent['personal'],
  }
}

/** The result of `read`; undefined when it cannot be read. */
function readable<T>(read: () => T): T | undefined {
  try {
    return read()
  } catch (error) {
    if (error instanceof Unreadable) return undefined
    throw error
  }
}
