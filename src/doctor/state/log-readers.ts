import type { FollowerState } from '../../domain/followers/service.ts'
import type { WebhookReport } from '../../domain/webhooks/types.ts'
import type { Program } from '../../program.ts'

/** Webhooks that are looked at, the newest. */
const MOST = 1000
/** A webhook that has waited no longer than this is not late; besides, batches wait for as long as they are told. */
const LATE_MS = 60_000

/** A webhook that needs somebody: it is off, its last attempt failed, or it is late. */
export interface TroubledWebhook {
  webhook: WebhookReport
  /** The age (s) of the oldest event that it has not got, since it was received. */
  lagSeconds: number
}

/** The readers of the event log from inside: how far followers are, and which webhooks need somebody. */
export async function logReadersOf(
  program: Pick<Program, 'followers' | 'webhooks'>,
  now: number,
): Promise<{ followers: FollowerState[]; webhooks: TroubledWebhook[] }> {
  const webhooks = await troubledWebhooks(program, now)
  return { followers: await program.followers.states(), webhooks }
}

/** Webhooks that need somebody, by their ids. */
export async function troubledWebhooks(
  { webhooks }: Pick<Program, 'webhooks'>,
  now: number,
): Promise<TroubledWebhook[]> {
  const troubled = (await webhooks.newest(MOST)).flatMap((webhook): TroubledWebhook[] => {
    const { state, failingSince, waitingSince, batch } = webhook
    const lagMs = waitingSince === null ? 0 : Math.max(0, now - waitingSince)
    const isWell = state === 'on' && failingSince === null && lagMs <= LATE_MS + batch.waitMs
    return isWell ? [] : [{ webhook, lagSeconds: lagMs / 1000 }]
  })
  return troubled.sort((a, b) => a.webhook.id - b.webhook.id)
}
