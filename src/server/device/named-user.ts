import type { Call } from '../routing/route.ts'

/** The refusal of `namedUser`, for the document. */
export const UNSIGNED = { 403: 'The path does not hold a user token, and the app requires signed users' } as const

/**
 * The user that the path of a device's call names: by identifier, or by a token where the app signs its users. Throws
 * `forbidden` when the device may not act for that user.
 */
export function namedUser({
  tx,
  appId,
  params,
}: Pick<Call<unknown, unknown>, 'tx' | 'appId' | 'params'>): Promise<string> {
  return tx.signedIds.nameForDevice(appId, params.userId!)
}
