import { AppError, type FieldErrors, invalid } from '../../../platform/errors.ts'
import type { Clock } from '../../../platform/time/clock.ts'
import { isIdentifier } from '../../crm/schema.ts'
import type { UsersRepository } from '../../crm/store/users.repository.ts'
import type { AnnouncedToUser, LinkedPushes, PreparedPush } from '../fan-out/linked-push.ts'
import { compileMessage, type ForUser, type ShownTexts } from '../personal/compiled-message.ts'
import { forUsers, type InAppReads } from '../personal/give-users.ts'
import { unusedTemplates } from '../personal/judge.ts'
import { textsOf } from '../personal/texts.ts'
import type { InAppRequest } from '../request/request.ts'
import type { Announcement, PersonalContent } from '../types.ts'
import { preparePush } from './prepare-push.ts'
import { createShown, type Shown, type ShownParts } from './shown.ts'

/** A message as one user would get it, or as it is written. */
export interface MessagePreview {
  /** The texts that devices would show; null when the user would get nothing. */
  shown: ShownTexts | null
  /** The language that the user gets; null when there is only one, or no user. */
  language: string | null
  /** The linked push on the user's most recently active install; null without one, or when it would not be sent. */
  push: Extract<AnnouncedToUser, { title: string }> | null
  /** Expressions of the message or its push that have no value for the user. */
  missing: readonly string[]
  /** True when the message or its push would be too large for the user. */
  tooLarge: boolean
  /** Sentences about what is probably not meant. */
  warnings: string[]
}

export interface MessagePreviewParts extends ShownParts {
  pushes: LinkedPushes
  users: Pick<UsersRepository, 'find'>
  reads: InAppReads
  clock: Clock
}

/**
 * Makes the function that shows a message as a user would get it now, without a user as it is written. Stores and sends nothing.
 * Throws as accepting does, but for the target, and `not_found` for an unknown user.
 */
export function createMessagePreview(parts: MessagePreviewParts) {
  const { pushes, users, reads, clock } = parts
  const shownBy = createShown(parts)

  async function userOf(appId: number, identifier: string): Promise<number> {
    const user = isIdentifier(identifier) ? await users.find(appId, identifier) : undefined
    if (!user) throw new AppError('not_found', `there is no user ${JSON.stringify(identifier)}`)
    return user.id
  }

  /** The fate of the message for a user, and the texts that they are shown. */
  async function messageFor(appId: number, shown: Shown, userId: number | undefined) {
    if (!isPersonal(shown)) {
      const { content, data, inbox } = shown
      return { made: SAME, texts: { content, data, inbox } }
    }
    const message = compileMessage(shown)
    if (userId === undefined) return { made: SAME, texts: message.show(null, asWritten(shown)) }
    const made = (await forUsers(reads, { appId, message }, [userId], clock.now())).get(userId)!
    if (!('language' in made)) return { made, texts: null }
    return { made, texts: message.show(made.language, JSON.parse(made.texts ?? '{}') as Record<string, unknown>) }
  }

  async function announce(push: PreparedPush | undefined, userId: number | undefined) {
    if (!push) return undefined
    return userId === undefined ? announcedAsWritten(push.announcement) : push.preview(userId)
  }

  return async function preview(
    appId: number,
    request: InAppRequest,
    identifier: string | undefined,
  ): Promise<MessagePreview> {
    const wrong: FieldErrors = {}
    const shown = await shownBy(appId, request, wrong)
    const prepared = await preparePush(pushes, appId, request, wrong, clock.now())
    if (!shown || Object.keys(wrong).length > 0) throw invalid(wrong)
    const userId = identifier === undefined ? undefined : await userOf(appId, identifier)
    const { made, texts } = await messageFor(appId, shown, userId)
    // Who does not get the message gets no push.
    const push = texts ? await announce(prepared, userId) : undefined
    const lacking = [made, push].flatMap((one) => (one && 'missing' in one ? one.missing : []))
    return {
      shown: texts,
      language: 'language' in made ? made.language : null,
      push: push && 'title' in push ? push : null,
      missing: [...new Set(lacking)],
      tooLarge: [made, push].some((one) => one !== undefined && 'tooLarge' in one),
      warnings: [...unusedTemplates(shown), ...(prepared?.unused ?? [])].map(warningOf),
    }
  }
}

/** The fate of a message that all users get alike. */
const SAME: ForUser = { language: null, texts: null }

const isPersonal = (shown: Shown): shown is Shown & PersonalContent => shown.personal !== null

/** The texts of the default content, by path. */
const asWritten = (shown: PersonalContent) =>
  Object.fromEntries(textsOf(shown, undefined).map(({ path, text }) => [path, text]))

const announcedAsWritten = ({ title, message, ios, android }: Announcement) => ({
  title,
  message,
  pictureUrl: android?.pictureUrl ?? ios?.media?.pictureUrl ?? null,
})

/** Warns of a text that looks like template text, where nothing is personalised. */
const warningOf = (path: string) =>
  `${path} looks like a template text, but the request has no personalize: people will read the braces`
