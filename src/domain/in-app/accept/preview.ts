import { type FieldErrors, invalid } from '../../../platform/errors.ts'
import type { Clock } from '../../../platform/time/clock.ts'
import type { CrmService } from '../../crm/service.ts'
import { languageMatcher } from '../../personalization/languages.ts'
import type { ReadersCoverage, RenderNotes } from '../../personalization/people/coverage.ts'
import { DEFAULT_LANGUAGE } from '../../personalization/people/readers.ts'
import type { AskedPerson } from '../../personalization/request/person.ts'
import type { DefaultTaken } from '../../personalization/types.ts'
import { MAX_DOCUMENT_BYTES, sizeOf } from '../../templates/render.ts'
import type { AnnouncedReader, AnnouncedToUser, LinkedPushes, PreparedPush } from '../fan-out/linked-push.ts'
import { compileMessage, type ForUser, MAX_KEPT_BYTES, type ShownTexts } from '../personal/compiled-message.ts'
import { forReaders, type InAppReads, type ReadMessage } from '../personal/give-users.ts'
import { textsOf } from '../personal/texts.ts'
import type { InAppRequest } from '../request/request.ts'
import type { Announcement, PersonalContent } from '../types.ts'
import { preparePush } from './prepare-push.ts'
import { createShown, isPersonal, type Shown, type ShownParts, warningsOf } from './shown.ts'

/** A part of a message whose bytes are bounded: its document, or the texts that are kept for one user. Both as JSON. */
export interface MessageSize {
  part: 'document' | 'texts'
  bytes: number
  limit: number
}

/** A message as one user would get it, or as it is written. */
export interface MessagePreview {
  /** The texts that devices would show; null when the user would get nothing. */
  shown: ShownTexts | null
  /** The language that the user gets; null when there is only one, or neither a user nor a language was asked for. */
  language: string | null
  /** The linked push on the install that was asked for, else the user's most recently active one; null without one, or when it would not be sent. */
  push: Extract<AnnouncedToUser, { title: string }> | null
  /** Expressions of the message or its push that have no value for the user. */
  missing: readonly string[]
  /** Expressions of the message in which a default stands for the user. */
  defaults: readonly DefaultTaken[]
  /** True when the message or its push would be too large for the user. */
  tooLarge: boolean
  /** The part that is nearest to its limit; null when the user would get nothing. */
  size: MessageSize | null
  /** Sentences about what is probably not meant. */
  warnings: string[]
  /** The results for a sample of the audience; absent where none was asked for. */
  coverage?: ReadersCoverage
}

export interface MessagePreviewParts extends ShownParts {
  pushes: LinkedPushes
  book: Pick<CrmService, 'showInstall' | 'showUser'>
  reads: InAppReads
  clock: Clock
}

/** The user as whom a message is shown. */
interface Viewer {
  userId: number
  /** The install on which the linked push is shown: the user's, or one that was asked for. */
  reader: AnnouncedReader
}

/**
 * Makes the function that shows a message as a user would get it now, without a user as it is written. Stores and sends nothing.
 * Throws as accepting does, but for the target, and `not_found` for an unknown user or install.
 */
export function createMessagePreview(parts: MessagePreviewParts) {
  const { pushes, book, reads, clock } = parts
  const shownBy = createShown(parts)

  async function viewerOf(appId: number, { userId, installId }: AskedPerson): Promise<Viewer | undefined> {
    if (installId !== undefined) {
      const { row, userIdentifier } = await book.showInstall(appId, installId)
      const { id } = await book.showUser(appId, userIdentifier)
      return { userId: id, reader: { of: 'installs', row } }
    }
    if (userId === undefined) return undefined
    const { id } = await book.showUser(appId, userId)
    return { userId: id, reader: { of: 'users', row: id } }
  }

  /** The fate of the message for a user, and the texts that they are shown. Adds to `notes`. */
  async function messageFor(
    appId: number,
    shown: Shown,
    { userId, language }: { userId: number | undefined; language: string | undefined },
    notes: RenderNotes,
  ): Promise<{ made: ForUser; texts: ShownTexts | null }> {
    if (!isPersonal(shown)) {
      const { content, data, inbox } = shown
      return { made: SAME, texts: { content, data, inbox } }
    }
    const message = compileMessage(shown)
    if (userId === undefined) {
      const tag = language === undefined ? undefined : message.variantFor([language])
      const isAsked = language !== undefined && message.hasLanguages
      const made = { language: isAsked ? (tag ?? DEFAULT_LANGUAGE) : null, texts: null }
      return { made, texts: message.show(made.language, asWritten(shown, tag)) }
    }
    const made = await madeFor({ appId, message, language }, userId, notes)
    if (!('language' in made)) return { made, texts: null }
    return { made, texts: message.show(made.language, JSON.parse(made.texts ?? '{}') as Record<string, unknown>) }
  }

  async function madeFor(asked: ReadMessage, userId: number, notes: RenderNotes): Promise<ForUser> {
    let made: ForUser | undefined
    await forReaders(reads, asked, [userId], clock.now(), (_, reader, chain) => {
      made = asked.message.give(reader, chain, notes)
    })
    return made!
  }

  async function pushFor(
    push: PreparedPush | undefined,
    reader: AnnouncedReader | undefined,
    language: string | undefined,
  ) {
    if (!push) return undefined
    return reader ? push.preview(reader, language) : announcedAsWritten(push.announcement, language)
  }

  return async function preview(
    appId: number,
    request: InAppRequest,
    asked: AskedPerson = {},
  ): Promise<MessagePreview> {
    const wrong: FieldErrors = {}
    const shown = await shownBy(appId, request, wrong)
    const prepared = await preparePush(pushes, appId, request, wrong, clock.now())
    if (!shown || Object.keys(wrong).length > 0) throw invalid(wrong)
    const { language } = asked
    const viewer = await viewerOf(appId, asked)
    const notes: RenderNotes = { missing: [], defaults: [] }
    const { made, texts } = await messageFor(appId, shown, { userId: viewer?.userId, language }, notes)
    // Who does not get the message gets no push.
    const push = texts ? await pushFor(prepared, viewer?.reader, language) : undefined
    const lacking = [made, push].flatMap((one) => (one && 'missing' in one ? one.missing : []))
    return {
      shown: texts,
      language: 'language' in made ? made.language : null,
      size: texts && sizeOfMessage(texts, made),
      push: push && 'title' in push ? push : null,
      missing: [...new Set([...lacking, ...notes.missing])],
      defaults: [...new Map(notes.defaults.map((one) => [one.expression, one])).values()],
      tooLarge: [made, push].some((one) => one !== undefined && 'tooLarge' in one),
      warnings: warningsOf(shown, prepared),
    }
  }
}

function sizeOfMessage({ content }: ShownTexts, made: ForUser): MessageSize {
  const document = { part: 'document', bytes: sizeOf(content), limit: MAX_DOCUMENT_BYTES } as const
  if (!('texts' in made) || made.texts === null) return document
  const texts = { part: 'texts', bytes: Buffer.byteLength(made.texts), limit: MAX_KEPT_BYTES } as const
  return texts.bytes / texts.limit > document.bytes / document.limit ? texts : document
}

/** The fate of a message that all users get alike. */
const SAME: ForUser = { language: null, texts: null }

/** The texts of one language, by path. */
const asWritten = (shown: PersonalContent, tag: string | undefined) =>
  Object.fromEntries(textsOf(shown, tag).map(({ path, text }) => [path, text]))

function announcedAsWritten(
  { title, message, ios, android, languages = {} }: Announcement,
  language: string | undefined,
) {
  const tag = languageMatcher(Object.keys(languages))([language])
  const pictureUrl = android?.pictureUrl ?? ios?.media?.pictureUrl ?? null
  return { title, message, pictureUrl, ...(tag !== undefined && languages[tag]) }
}
