import type { Call } from '../route.ts'

/** What `namedUser` makes of a route, for the document. */
export const UNSIGNED = { 403: 'The user is not signed, and the app asks for it' } as const

/**
 * The user whom the path of a device's call means: named by his identifier, or by a token where the app signs its users. Throws
 * `forbidden` for whom the device may not speak.
 */
export function namedUser({
  app,
  appId,
  params,
}: Pick<Call<unknown, unknown>, 'app' | 'appId' | 'params'>): Promise<string> {
  return app.signedIds.nameForDevice(appId, params.userId!)
}
