import { isStorable } from '../../platform/json/json.ts'
import { integer, jsonObject, lineOfText, oneOf, shape, text } from '../../platform/values/parse.ts'
import { SIGNING_MODES } from './types.ts'

/** Body of `PUT attributes`: any JSON object. */
export const attributes = jsonObject().required()

/** Body of `POST token`: the number of seconds for which the token is valid; without it, for ever. */
export const userTokenForm = shape({ expiresIn: integer({ min: 60, max: 10 * 365 * 86_400 }) }).required()

/** Body of a change of how devices name users. */
export const signedUsersForm = shape({ mode: oneOf(SIGNING_MODES).required() }).required()

/** A device that people send tests to, by its install id. */
export const testDeviceForm = shape({
  name: lineOfText({ max: 100 }).required(),
  installId: text({ max: 255 }).required(),
}).required()

/** Longest user identifier, install id, event type or event uuid, in code points: the size of a database column. */
export const MAX_ID_LENGTH = 255

/** True for 1 to 255 code points that both databases store as they are. */
export function isIdentifier(value: unknown): value is string {
  if (typeof value !== 'string' || value === '' || !isStorable(value)) return false
  return value.length <= MAX_ID_LENGTH || [...value].length <= MAX_ID_LENGTH
}

/** The sentence that goes with a number in the place of an identifier that is no integer, or that a number does not hold. */
export const ID_NUMBER_RULE = 'is not an integer that a number holds exactly: send it as text'

/** Tells whether a value is a number that cannot be an identifier: two of them may have become one when the JSON was read. */
export function isWrongIdNumber(value: unknown): boolean {
  return typeof value === 'number' && !Number.isSafeInteger(value)
}

/** The sentence that goes with a wrong identifier. */
export const IDENTIFIER_RULE = `must be well-formed text of 1 to ${MAX_ID_LENGTH} characters without NUL`
