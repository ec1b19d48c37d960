import type { FieldErrors } from '../../../platform/errors.ts'
import { isPlainObject } from '../../../platform/json/json.ts'
import { check, checked, documented, shape, text } from '../../../platform/values/parse.ts'
import type { CheckedCredential, CredentialFacts } from '../gateway.ts'

/** The sealed part: an app of AppGallery Connect. The id is text, as it stands in addresses. */
export interface HcmSecret {
  appId: string
  appIdPassword: string
}

/** The public part. */
export interface HcmFacts extends CredentialFacts {
  appId: string
}

/** Fields of an `hcm` block. */
export const hcmBlock = shape({
  appId: documented(checked<number>(judgeAppId).required(), {
    type: 'integer',
    minimum: 1,
    maximum: Number.MAX_SAFE_INTEGER,
    description: 'App ID of AppGallery Connect',
  }),
  appIdPassword: text({ max: 512 })
    .matches(/^[\x21-\x7e]+$/, {
      message: 'must be the client secret, without spaces or line breaks',
      excludeEmptyString: true,
    })
    .required(),
})

/** Checks an `hcm` block: `appId` (an integer, as the contract says) and `appIdPassword` (the client secret). */
export async function checkHcm(
  input: unknown,
  _now: number,
): Promise<{ credential: CheckedCredential } | { errors: FieldErrors }> {
  if (!isPlainObject(input)) return { errors: { '': ['must be an object'] } }
  const errors = check(hcmBlock, input, true)
  if (errors) return { errors }
  const { appId, appIdPassword } = input as { appId: number; appIdPassword: string }
  const secret: HcmSecret = { appId: String(appId), appIdPassword }
  const facts: HcmFacts = { appId: secret.appId, warnings: [] }
  return { credential: { secret, facts, sendable: true } }
}

function judgeAppId(value: unknown): FieldErrors {
  return Number.isSafeInteger(value) && (value as number) > 0 ? {} : { '': ['must be an integer (the App ID)'] }
}
