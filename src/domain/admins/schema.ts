import { closedShape, integer, list, oneOf, text } from '../../platform/parse.ts'
import { ROLES } from './types.ts'

/** The least length of NIST SP 800-63B-4 (section 3.1.1.2) for a password that is the only factor. */
const MIN_PASSWORD = 15
/** So that no megabytes are hashed. */
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
export const roles = () =>
  list(closedShape({ appId: integer({ min: 1 }).nullable(), role: oneOf(ROLES).required() }).required(), { max: 100 })
