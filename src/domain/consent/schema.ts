import { isPlainObject } from '../../platform/json/json.ts'
import {
  checked,
  documented,
  flag,
  ids,
  integer,
  judged,
  lineOfText,
  oneOf,
  shape,
  text,
} from '../../platform/values/parse.ts'
import { type ChoiceChanges, type ConsentOfSend, PRIORITIES } from './types.ts'

/** Maximum number of purposes of an app. A page of preferences shows them all. */
export const MAX_PURPOSES = 50
/** Longest uid and name of a purpose, and reason of a suppression, in code points. */
const MAX_LENGTH = 255
const MAX_DESCRIPTION_LENGTH = 1000
/** Identifiers that one call adds to the suppression list. */
export const MAX_SUPPRESSED_AT_ONCE = 1000

/** The sentence that goes with a wrong uid. */
export const UID_RULE = 'must have 1 to 64 of the characters a-z A-Z 0-9 . _ - and begin with a letter or digit'

/** Tells whether `uid` may be the uid of a purpose, which is used in addresses, on command lines and in reports. */
export function isPurposeUid(uid: string): boolean {
  return /^[a-z0-9][a-z0-9._-]{0,63}$/i.test(uid)
}

/** Body of `PUT purposes/{uid}`. */
export const purposeForm = judged(
  shape({
    name: lineOfText({ max: MAX_LENGTH }).required(),
    description: text({ max: MAX_DESCRIPTION_LENGTH, empty: true }).nullable(),
    default: flag().required(),
    required: flag(),
  }),
  (given) =>
    given.required === true && given.default === false
      ? { default: ['must be true when required is true: what cannot be refused is always allowed'] }
      : {},
).required()

/** Body of `PUT users/{id}/purposes`: true allows, false refuses, null goes back to the default. */
export const choicesForm = documented(
  checked<ChoiceChanges>((value) => {
    if (!isPlainObject(value)) return { '': ['must be an object with uids of purposes: {"news": false}'] }
    const entries = Object.entries(value)
    if (entries.length > MAX_PURPOSES) return { '': [`has ${entries.length} purposes, ${MAX_PURPOSES} are allowed`] }
    const wrong = entries.filter(([, choice]) => choice !== null && typeof choice !== 'boolean')
    return Object.fromEntries(wrong.map(([uid]) => [uid, ['must be true, false or null']]))
  }),
  { type: 'object', additionalProperties: { type: ['boolean', 'null'] }, maxProperties: MAX_PURPOSES },
).required()

const reason = () => text({ max: MAX_LENGTH, empty: true }).nullable()

/** Body of `PUT suppressions/{identifier}`. */
export const suppressionForm = shape({ reason: reason() }).required()

/** Body of `POST suppressions`: identifiers of users, whether there is such a user or not. */
export const suppressionsForm = judged(
  shape({ userIds: ids({ max: MAX_LENGTH }).required(), reason: reason() }),
  (given) => {
    const { userIds } = given
    if (!Array.isArray(userIds)) return {}
    if (userIds.length === 0) return { userIds: ['must name at least one user'] }
    if (userIds.length <= MAX_SUPPRESSED_AT_ONCE) return {}
    return { userIds: [`may name at most ${MAX_SUPPRESSED_AT_ONCE} users: send several requests`] }
  },
).required()

/** Query of the suppression list: `after` is the `next` of the page before. */
export const listSuppressions = shape({
  after: integer({ min: 1 }),
  limit: integer({ min: 1, max: 1000 }).default(50),
})

/** Fields about consent at the top level of every form of a send. */
export const consentFields = {
  purpose: documented(text({ max: MAX_LENGTH }), {
    description: 'The uid of a purpose. Users who refuse it are left out',
  }),
  priority: documented(oneOf(PRIORITIES), {
    description: '`transactional` ignores quiet hours, frequency cap and purposes, not the suppression list',
  }),
}

/** The fields about consent of a checked form; undefined when it has none. */
export function consentOf({
  purpose,
  priority,
}: {
  purpose?: string | undefined
  priority?: (typeof PRIORITIES)[number] | undefined
}): ConsentOfSend | undefined {
  if (purpose === undefined && priority === undefined) return undefined
  return { purpose: purpose ?? null, transactional: priority === 'transactional' }
}
