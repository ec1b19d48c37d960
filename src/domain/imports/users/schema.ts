import { flag, jsonObject, list, oneOf, shape, text } from '../../../platform/values/parse.ts'

/** Maximum number of users in one call. */
export const MAX_USER_ROWS = 1000

/** Treatments of the attributes that a user has already. */
export const USER_IMPORT_MODES = ['merge', 'replace'] as const

/** Body of `POST users/import`. Identifiers are checked row by row, so that a wrong one keeps no other from being stored. */
export const userImportForm = shape({
  users: list(shape({ userId: text({ empty: true }).required(), attributes: jsonObject().required() }).required(), {
    min: 1,
    max: MAX_USER_ROWS,
  }).required(),
  mode: oneOf(USER_IMPORT_MODES),
  knownOnly: flag(),
  includeErased: flag(),
}).required()
