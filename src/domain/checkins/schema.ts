import { isPlainObject, isStorable } from '../../platform/json/json.ts'
import { checked, documented, type Infer, integer, list, oneOf, shape, text } from '../../platform/values/parse.ts'
import { atMost, MUST_BE } from '../../platform/values/reader.ts'
import type { NewCheckin } from './types.ts'

/** Query of the list for people. `open`: somebody is still there. */
export const checkinQuery = shape({
  state: oneOf(['open', 'closed']),
  userId: text({ max: 255 }),
  after: integer({ min: 1 }),
  limit: integer({ min: 1, max: 200 }).default(50),
})

const name = () => text({ max: 255 })
const MAX_PARTY_SIZE = 1_000_000
const MAX_CONTACTS = 100
const MAX_META_FIELDS = 50

/** String values only: clients read nothing else, and the iOS SDK fails on other types. */
const meta = documented(
  checked<Record<string, string>>((value) => {
    if (!isPlainObject(value)) return { '': [MUST_BE.object] }
    if (Object.keys(value).length > MAX_META_FIELDS) return { '': [atMost(MAX_META_FIELDS, 'fields')] }
    const wrong = Object.entries(value).filter(
      ([key, text]) => typeof text !== 'string' || text.length > 1000 || !isStorable(key) || !isStorable(text),
    )
    return Object.fromEntries(wrong.map(([key]) => [key.toWellFormed(), ['must be text of at most 1000 characters']]))
  }),
  { type: 'object', additionalProperties: { type: 'string' } },
)

/** Maximum length of a device key; SDKs send 22 or 24 characters. */
const deviceKey = () => text({ max: 255, empty: true }).defined()

/** Body of V1. Optional details of a person may be null or absent. */
export const newCheckin = shape({
  location: name().required(),
  partySize: integer({ min: 0, max: MAX_PARTY_SIZE }).nullable(),
  contacts: list(
    shape({
      lastName: name().required(),
      firstName: text({ max: 255, empty: true }).nullable(),
      emailAddress: text({ max: 255, empty: true }).nullable(),
      smsNumber: text({ max: 255, empty: true }).nullable(),
      meta: meta.nullable(),
    }).required(),
    { min: 1, max: MAX_CONTACTS },
  ).required(),
  tz: text({ max: 255, empty: true }).nullable(),
  deviceKey: deviceKey(),
}).required()

/** Query of V2 to V4. */
export const deviceKeyQuery = shape({ deviceKey: deviceKey() })

/** Converts a body for the service. The default party size is the number of named people, which is also the minimum. */
export function readCheckin(body: Infer<typeof newCheckin>): NewCheckin {
  return {
    location: body.location,
    partySize: Math.max(body.partySize ?? 0, body.contacts.length),
    timezone: body.tz || null,
    deviceKey: body.deviceKey,
    contacts: body.contacts.map((contact) => ({
      lastName: contact.lastName,
      firstName: contact.firstName || null,
      emailAddress: contact.emailAddress || null,
      smsNumber: contact.smsNumber || null,
      meta: contact.meta ?? null,
    })),
  }
}
