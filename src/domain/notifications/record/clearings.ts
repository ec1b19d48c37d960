import type { Clearing } from '../../apps/types.ts'

type Clears = { clearApp(appId: number, limit: number): Promise<number> }

/**
 * The steps that delete the notifications of an app. In-app messages go before the notifications that announce them, in the same
 * transaction: a request that was let in before the app was closed may have stored another one in between.
 */
export function clearingsOf(inAppMessages: Clears, sent: Clears, restraint: Clears): Clearing[] {
  return [
    async (appId, limit) => {
      const messages = await inAppMessages.clearApp(appId, limit)
      return messages + (await sent.clearApp(appId, limit - messages))
    },
    restraint.clearApp,
  ]
}
