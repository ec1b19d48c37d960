import { flag, jsonObject, list, oneOf, shape, text } from '../../../platform/values/parse.ts'

/** Maximum number of users in one call. */
export const MAX_USER_ROWS = 1000

/** Treatments of the attributes that a user has already. */
const USER_IMPORT_MODES = ['merge', 'replace'] as const

/** Body of `POST users/import`. A user id that is too long is refused as a row, so that it keeps no other from being stored. */
export const userImportForm = shape({
  users: list(shape({ userId: text().required(), attributes: jsonObject().required() }).required(), {
    min: 1,
    max: MAX_USER_ROWS,
  }).required(),
  mode: oneOf(USER_IMPORT_MODES),
  knownOnly: flag(),
  includeErased: flag(),
}).required()
