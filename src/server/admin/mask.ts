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
      Object.entries(value).map(([name, one]) => [
        name,
        name === 'installs' && Array.isArray(one)
          ? one.map((install) => withMaskedId(maskPersonal(install, isPersonal)))
          : name === 'suppressions' && Array.isArray(one)
            ? one.map((entry) => withMaskedReason(maskPersonal(entry, isPersonal)))
            : name === 'suppression'
              ? withMaskedReason(maskPersonal(one, isPersonal))
              : maskPersonal(one, isPersonal || PERSONAL.has(name)),
      ]),
    )
  }
  if (!isPersonal || value === null || value === undefined) return value
  return typeof value === 'string' ? masked(value) : null
}

/** An install's `id` is the one by which its device calls; everything else called `id` is a number of ours. */
function withMaskedId(install: unknown): unknown {
  if (typeof install !== 'object' || install === null) return install
  const { id } = install as { id?: unknown }
  return typeof id === 'string' ? { ...install, id: masked(id) } : install
}

/** Why somebody is on the suppression list is what somebody wrote about them; other reasons are words of ours. */
function withMaskedReason(entry: unknown): unknown {
  if (typeof entry !== 'object' || entry === null) return entry
  const { reason } = entry as { reason?: unknown }
  return typeof reason === 'string' ? { ...entry, reason: masked(reason) } : entry
}

/** `alice@example.com` -> `al•••`. Pure. */
export function masked(text: string): string {
  return `${[...text].slice(0, SHOWN_CHARACTERS).join('')}•••`
}
