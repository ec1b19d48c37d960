import {
  closedShape,
  documented,
  integer,
  jsonObject,
  judged,
  list,
  oneOf,
  shape,
  text,
} from '../../platform/values/parse.ts'
import { ROLES, TOKEN_SCOPES } from './types.ts'

/** The least length of NIST SP 800-63B-4 (password verifiers) for a password that is the only factor. */
const MIN_PASSWORD = 15
/** Maximum length of a password, so that no megabytes are hashed. */
const MAX_PASSWORD = 256

const email = () =>
  text({ max: 254 }).test(
    'email',
    'must be an e-mail address such as anna@example.com',
    (value) => value == null || /^[^\s@]+@[^\s@]+$/.test(value),
  )
const name = () => text({ max: 100 })
/** A password that somebody chooses. */
export const newPassword = () =>
  text({ max: MAX_PASSWORD }).test(
    'min',
    `must have at least ${MIN_PASSWORD} characters: several words make a good password`,
    (value) => value == null || [...value].length >= MIN_PASSWORD,
  )
/** A password to compare with. */
const password = () => text({ max: MAX_PASSWORD })
/** A code of the second factor or a recovery code. */
const code = () => text({ max: 40 })
const oneTime = () => text({ max: 100 })

/** Body of the first sign-in. */
export const setUp = closedShape({
  token: oneTime().required(),
  email: email().required(),
  name: name().required(),
  password: newPassword().required(),
}).required()

/** Body of a sign-in. */
export const signIn = closedShape({
  email: text({ max: 254 }).required(),
  password: password().required(),
  code: code(),
}).required()

/** Roles of a person: each for one app, or with `appId` null for the whole server. */
const roles = () =>
  list(closedShape({ appId: integer({ min: 1 }).nullable(), role: oneOf(ROLES).required() }).required(), { max: 100 })

/** Body of a sign-in by a one-time link. */
export const useLink = closedShape({ token: oneTime().required(), name: name(), password: newPassword() }).required()

/** A browser's answer about a passkey; the library examines it. */
const response = () =>
  documented(jsonObject(), { description: 'What `navigator.credentials` returned, as its `toJSON()`' })

export const nothing = closedShape({})
export const passkeySignIn = closedShape({ response: response().required() }).required()

/** Body of a fresh sign-in: a password (with a code where the second factor is on), or a passkey. */
export const confirmSignIn = closedShape({ password: password(), code: code(), response: response() }).required()

/** Body of a change of one's own account. */
export const changeMe = closedShape({ name: name(), password: newPassword(), currentPassword: password() }).required()

export const confirmTotp = closedShape({ code: code().required() }).required()
export const addPasskey = closedShape({ name: name().required(), response: response().required() }).required()

const MAX_DAYS = 3650

/** Body of a new personal token. `days` null or absent: it does not end by itself. */
export const createToken = closedShape({
  name: name().required(),
  scopes: list(oneOf(TOKEN_SCOPES).required(), { min: 1, max: TOKEN_SCOPES.length }).required(),
  appId: integer({ min: 1 }).nullable(),
  days: integer({ min: 1, max: MAX_DAYS }).nullable(),
}).required()

export const createAdmin = closedShape({
  email: email().required(),
  name: name().required(),
  roles: roles().required(),
}).required()
export const setRoles = closedShape({ roles: roles().required() }).required()

/** Query of a list: `after` is the `next` of the page before. */
export const page = shape({ after: integer({ min: 1 }), limit: integer({ min: 1, max: 1000 }).default(100) })

/** Query of the audit log. It takes one filter, because each filter has an index and two together would read rows for nothing. */
export const listAudit = judged(
  shape({
    appId: integer({ min: 1 }),
    adminId: integer({ min: 1 }),
    action: text({ max: 64 }),
    after: integer({ min: 1 }),
    limit: integer({ min: 1, max: 1000 }).default(100),
  }),
  ({ appId, adminId, action }) =>
    [appId, adminId, action].filter((one) => one != null).length > 1
      ? { '': ['give one of appId, adminId and action'] }
      : {},
)
