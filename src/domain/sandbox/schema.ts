import { checked, documented, oneOf, shape, text } from '../../platform/values/parse.ts'
import { IDENTIFIER_RULE, isIdentifier, MAX_ID_LENGTH } from '../crm/schema.ts'
import { PHONE_KINDS } from './types.ts'

const identifier = () =>
  documented(
    checked<string>((value) => (isIdentifier(value) ? {} : { '': [IDENTIFIER_RULE] })),
    { type: 'string', minLength: 1, maxLength: MAX_ID_LENGTH },
  )

/** Body that registers a phone of the sandbox: what it is, and whose (default: `sandbox`). */
export const phoneForm = shape({
  kind: oneOf(PHONE_KINDS).required(),
  userId: identifier(),
}).required()

/** Body of a push that tries a gateway: to an install or to a user, by id. */
export const tryPushForm = shape({
  to: identifier().required(),
  title: text({ max: 255 }),
  message: text({ max: 1024 }),
}).required()
