/** Members of answers that say who somebody is, or how to reach them. Their values are masked wherever they stand. */
const PERSONAL = new Set([
  'identifier',
  'userIdentifier',
  'userId',
  'userIds',
  'user',
  'installId',
  'installIds',
  'optedOutInstallIds',
  'token',
  'endpoint',
  'deviceName',
  'attributes',
  'email',
  'firstName',
  'lastName',
  'emailAddress',
  'smsNumber',
  'phone',
  'remote',
  'latitude',
  'longitude',
])

const SHOWN_CHARACTERS = 2

/**
 * A copy of an answer for people who must not see personal data: under the names above, text keeps its first two characters, numbers
 * and booleans become null, and lists and objects keep their shape, so that a page can still show how many there are. Pure.
 */
export function maskPersonal(value: unknown, isPersonal = false): unknown {
  if (Array.isArray(value)) return value.map((one) => maskPersonal(one, isPersonal))
  if (typeof value === 'object' && value !== null) {
    return Object.fromEntries(
      Object.entries(value).map(([name, one]) => [name, maskPersonal(one, isPersonal || PERSONAL.has(name))]),
    )
  }
  if (!isPersonal || value === null || value === undefined) return value
  return typeof value === 'string' ? masked(value) : null
}

/** `alice@example.com` -> `al•••`. Pure. */
export function masked(text: string): string {
  return `${[...text].slice(0, SHOWN_CHARACTERS).join('')}•••`
}
