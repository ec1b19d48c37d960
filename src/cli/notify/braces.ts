import { looksLikeTemplate } from '../../domain/personalization/read/tokens.ts'
import { isAppError } from '../../platform/errors.ts'
import { isPlainObject } from '../../platform/json/json.ts'
import type { Deliver } from './result.ts'

/** Warns of the first push whose texts have braces that nothing replaces. It is delivered all the same. */
export function warningOfBraces(deliver: Deliver, warn: (text: string) => void): Deliver {
  let hasWarned = false
  return async (value) => {
    if (!hasWarned && hasBraces(value)) {
      const warning = await warningFor(value)
      if (warning !== undefined && !hasWarned) {
        hasWarned = true
        warn(`warning: ${warning}`)
      }
    }
    return deliver(value)
  }
}

/** Tells whether a value may need the warning. Most pushes have no braces, and a file may have millions of them. */
function hasBraces(value: unknown): boolean {
  if (!isPlainObject(value) || value.personalize != null) return false
  const { content, ios, android, buttons } = value
  return looksLikeTemplate(JSON.stringify([content, ios, android, buttons]))
}

async function warningFor(value: unknown): Promise<string | undefined> {
  const [{ bracesWarning }, { fromMessagesForm, messagesForm }, { parseJson }] = await Promise.all([
    import('../../domain/notifications/personal/warnings.ts'),
    import('../../domain/notifications/schema.ts'),
    import('../../platform/values/parse.ts'),
  ])
  try {
    return bracesWarning(fromMessagesForm(parseJson(messagesForm, value)).content)
  } catch (error) {
    // The result of the value says what is wrong with it.
    if (isAppError(error)) return undefined
    throw error
  }
}
