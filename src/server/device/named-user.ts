import type { Call } from '../routing/route.ts'

/** The refusal of `namedUser`, for the document. */
export const UNSIGNED = { 403: 'The path does not hold a user token, and the app requires signed users' } as const

/**
 * The user that the path of a device's call names: by identifier, or by a token where the app signs its users. Throws
 * `forbidden` when the device may not act for that user.
 */
export function namedUser({
  app,
  appId,
  params,
}: Pick<Call<unknown, unknown>, 'app' | 'appId' | 'params'>): Promise<string> {
  return app.signedIds.nameForDevice(appId, params.userId!)
}
