import type { FieldErrors } from '../../../platform/errors.ts'
import { isPlainObject } from '../../../platform/json.ts'
import { check, checked, documented, shape, text } from '../../../platform/parse.ts'
import type { CheckedCredential, CredentialFacts } from '../gateway.ts'

/**
 * The sealed part: an app of AppGallery Connect. The id is text, because it may have more digits than a number holds.
 */
export interface HcmSecret {
  appId: string
  appIdPassword: string
}

/** The public part. */
export interface HcmFacts extends CredentialFacts {
  appId: string
}

const DIGITS = /^[1-9]\d{0,19}$/

/** Fields of an `hcm` block. */
export const hcmBlock = shape({
  appId: documented(checked<string | number>(judgeAppId).required(), {
    type: ['integer', 'string'],
    pattern: DIGITS.source,
    description: 'App ID of AppGallery Connect',
  }),
  appIdPassword: text({ max: 512 })
    .matches(/^[\x21-\x7e]+$/, {
      message: 'must be the client secret, without spaces or line breaks',
      excludeEmptyString: true,
    })
    .required(),
})

/** Checks an `hcm` block: `appId` (integer or its digits) and `appIdPassword` (the client secret). */
export async function checkHcm(
  input: unknown,
  _now: number,
): Promise<{ credential: CheckedCredential } | { errors: FieldErrors }> {
  if (!isPlainObject(input)) return { errors: { '': ['must be an object'] } }
  const errors = check(hcmBlock, input, true)
  if (errors) return { errors }
  const { appId, appIdPassword } = input as { appId: string | number; appIdPassword: string }
  const secret: HcmSecret = { appId: String(appId), appIdPassword }
  const facts: HcmFacts = { appId: secret.appId, warnings: [] }
  return { credential: { secret, facts, sendable: true } }
}

function judgeAppId(value: unknown): FieldErrors {
  if (typeof value === 'string')
    return DIGITS.test(value) ? {} : { '': ['must be an integer (the App ID, digits only)'] }
  const fits = Number.isInteger(value) && (value as number) > 0
  if (!fits) return { '': ['must be an integer (the App ID, digits only)'] }
  return Number.isSafeInteger(value) ? {} : { '': ['is too large for a number: send it as a string'] }
}
