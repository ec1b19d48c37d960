import { documented, text } from './parse.ts'

const UID_RULE = 'must be 1 to 255 letters, digits and . _ ~ - (not . or .. alone)'

/** A name that callers choose and that stands in addresses: nothing in it is escaped there, and it is no directory. */
export function uidText() {
  return documented(
    text({ empty: true }).test('uid', UID_RULE, (value) => value == null || isUid(value)),
    { minLength: 1, maxLength: 255, pattern: '^[A-Za-z0-9._~-]+$' },
  )
}

function isUid(value: string): boolean {
  return /^[A-Za-z0-9._~-]{1,255}$/.test(value) && value !== '.' && value !== '..'
}
