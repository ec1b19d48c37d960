import type { FieldErrors } from '../../../platform/errors.ts'
import { isPlainObject } from '../../../platform/json/json.ts'
import {
  address,
  closedShape,
  type Infer,
  jsonObject,
  present,
  type Schema,
  text,
  withoutNulls,
} from '../../../platform/values/parse.ts'
import { MUST_BE } from '../../../platform/values/reader.ts'
import { judgeOfPlaces, type Places } from '../../personalization/request/places.ts'
import {
  byLanguage,
  judgePlainAddress,
  lookUpField,
  personalizeField,
  templateAddress,
} from '../../personalization/request/schema.ts'
import { RECURRING_PLACES } from '../../schedules/schema.ts'
import type { TagValues } from '../../templates/types.ts'
import { type Announcement, type Inbox, MAX_LINE_LENGTH, type PersonalParts } from '../types.ts'

/** The fields that make an in-app message differ between users: language variants, template texts and look-ups. */

const picture = () => address(['http', 'https'])
const title = () => text({ max: MAX_LINE_LENGTH })
const subtitle = () => text({ max: MAX_LINE_LENGTH, empty: true })

/** Fields of texts that may be longer as template texts than what people read. */
export const pictureField = () => templateAddress(picture())
export const titleField = () => templateAddress(title())
export const subtitleField = () => templateAddress(subtitle())

const announced = closedShape({ title: text().defined(), message: text().defined(), pictureUrl: pictureField() })
const inboxVariant = closedShape({ title: titleField(), subtitle: subtitleField(), imageUrl: pictureField() })

const wordsOf = (says: string, title?: string) => ({
  must: MUST_BE.object,
  description: `${says}. What a variant leaves out is taken from the default`,
  title,
})

/** `languages` of the message: values of dynamic tags. */
const tagLanguages = () =>
  byLanguage<TagValues>(jsonObject(), wordsOf('Values of dynamic tags by BCP 47 language tag, then by title'))

export const announcementLanguages = () =>
  byLanguage<Infer<typeof announced>>(
    announced,
    wordsOf('The texts of the push by BCP 47 language tag', 'AnnouncementVariant'),
  )

export const inboxLanguages = () =>
  byLanguage<Infer<typeof inboxVariant>>(
    inboxVariant,
    wordsOf('The texts of the entry by BCP 47 language tag', 'InboxVariant'),
  )

/** The fields at the top of a request. */
export const personalFields = { personalize: personalizeField(), lookup: lookUpField(), languages: tagLanguages() }

const atTop = (key: string) => ({
  at: [''],
  says: `stands in the wrong place: ${key} belongs at the top of the request`,
})
const AT_TOP = { languages: atTop('languages'), personalize: atTop('personalize'), lookup: atTop('lookup') }
/** Blocks and keys of a request. `content` and `languages` hold titles of tags, which only the template knows; see `misplacedTag`. */
const PLACES: Places = {
  blocks: ['ttl', 'notification', 'inbox', 'schedule'],
  keys: {
    ...RECURRING_PLACES,
    ...AT_TOP,
    languages: { ...AT_TOP.languages, at: ['', 'notification', 'inbox'] },
  },
}

/** The keys that stand in the wrong place of a request. */
export const misplacedKeys = judgeOfPlaces(PLACES)

/**
 * Rules about where these fields stand: an ignored one would show braces, or the wrong language.
 */
export function judgePersonal(body: Record<string, unknown>): FieldErrors {
  const errors = misplacedKeys(body)
  if (body.lookup !== undefined && body.lookup !== null && !isPlainObject(body.personalize)) {
    errors.lookup = ['is for texts that are personalised: give personalize as well, such as {"personalize": {}}']
  }
  return {
    ...errors,
    ...judgeInboxLanguages(body),
    ...(isPlainObject(body.personalize) ? {} : judgePlainTexts(body)),
  }
}

/** One choice is made for a user: the message and its entry in the inbox must not be in two languages. */
function judgeInboxLanguages({ inbox, languages }: Record<string, unknown>): FieldErrors {
  if (!isPlainObject(inbox) || !isPlainObject(inbox.languages)) return {}
  const known = isPlainObject(languages) ? languages : {}
  const unknown = Object.keys(inbox.languages).filter((tag) => !Object.hasOwn(known, tag))
  return Object.fromEntries(
    unknown.map((tag) => [
      `inbox.languages.${tag}`,
      [`must also be one of languages, by which a user's language is chosen: give "languages": {"${tag}": {}}`],
    ]),
  )
}

/** The words for one of our keys among the values of a template that has no tag of this name. */
export const misplacedTag = (title: string): string | undefined =>
  Object.hasOwn(AT_TOP, title) ? AT_TOP[title as keyof typeof AT_TOP].says : undefined

/** In a request that is not personalised, braces in an address are as wrong as ever, and no text may be longer. */
function judgePlainTexts({ notification, inbox }: Record<string, unknown>): FieldErrors {
  const at = (block: unknown, key: string) => (isPlainObject(block) ? block[key] : undefined)
  const errors: FieldErrors = {
    ...judgePlainAddress(
      'notification.ios.media.pictureUrl',
      at(at(at(notification, 'ios'), 'media'), 'pictureUrl'),
      picture,
    ),
    ...judgePlainAddress('notification.android.pictureUrl', at(at(notification, 'android'), 'pictureUrl'), picture),
    ...judgePlainInbox('inbox', inbox),
  }
  for (const [tag, variant] of entriesOf(at(notification, 'languages'))) {
    Object.assign(
      errors,
      judgePlainAddress(`notification.languages.${tag}.pictureUrl`, at(variant, 'pictureUrl'), picture),
    )
  }
  for (const [tag, variant] of entriesOf(at(inbox, 'languages'))) {
    Object.assign(errors, judgePlainInbox(`inbox.languages.${tag}`, variant))
  }
  return errors
}

const entriesOf = (value: unknown) => (isPlainObject(value) ? Object.entries(value) : [])

function judgePlainInbox(path: string, texts: unknown): FieldErrors {
  if (!isPlainObject(texts)) return {}
  return {
    ...judgePlainAddress(`${path}.title`, texts.title, title),
    ...judgePlainAddress(`${path}.subtitle`, texts.subtitle, subtitle),
    ...judgePlainAddress(`${path}.imageUrl`, texts.imageUrl, picture),
  }
}

/** The parts of a checked request that make a message differ between users; undefined when it has none. */
export function personalPartsOf({
  personalize,
  lookup,
  languages,
}: {
  personalize?: Infer<typeof personalFields.personalize> | undefined
  lookup?: PersonalParts['lookup'] | undefined
  languages?: PersonalParts['languages'] | undefined
}): PersonalParts | undefined {
  if (personalize === undefined && languages === undefined) return undefined
  return present({
    personalize: personalize && { missing: personalize.missing ?? ('skip' as const) },
    lookup,
    languages,
  })
}

/** `notification.languages` of a checked request. */
export function announcementLanguagesOf(
  given: Readonly<Record<string, Infer<typeof announced>>> | undefined,
): Pick<Announcement, 'languages'> {
  return given ? { languages: mapVariants(given, announced) as NonNullable<Announcement['languages']> } : {}
}

/** `inbox.languages` of a checked request. */
export function inboxLanguagesOf(
  given: Readonly<Record<string, Infer<typeof inboxVariant>>> | undefined,
): Pick<Inbox, 'languages'> {
  return given ? { languages: mapVariants(given, inboxVariant) } : {}
}

/** The variants without members that are null or absent. */
function mapVariants(given: Readonly<Record<string, object>>, variant: Schema): Record<string, object> {
  return Object.fromEntries(
    Object.entries(given).map(([tag, one]) => [tag, present(withoutNulls(variant, one) as object)]),
  )
}
