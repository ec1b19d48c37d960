import type { Recipient } from '../../crm/types.ts'
import type { Outcome } from '../../gateways/gateway.ts'
import type { RecipientStore } from './delivery-parts.ts'

/** Refusals on separate notifications after which a token is retired (docs/reference/gateway-facts.md section 0.2). */
const REFUSALS_BEFORE_RETIRING = 3

/**
 * Records what a response means for the recipient's token. `doubted`: so many tokens were refused that our credential
 * is probably wrong; then only a response about this recipient alone (`local`) counts.
 */
export async function rememberToken(
  crm: Omit<RecipientStore, 'deliveryRecipients'>,
  appId: number,
  { row, token, tokenAt, refusals }: Recipient,
  outcome: Outcome,
  doubted: boolean,
): Promise<void> {
  if (outcome.kind === 'accepted') {
    if (refusals > 0) await crm.clearRefusals(appId, row)
    if (outcome.environment) await crm.rememberEnvironment(appId, row, token!, outcome.environment)
    return
  }
  if (outcome.kind !== 'token_dead' && outcome.kind !== 'token_suspect') return
  if (doubted && !outcome.local) return
  if (outcome.kind === 'token_dead') {
    // APNs says when the token became invalid: a device that registered after that keeps its token.
    const registeredSince = outcome.since !== undefined && (tokenAt ?? 0) > outcome.since
    if (!registeredSince) await crm.retireToken(appId, row, token!, outcome.reason)
  } else {
    const count = await crm.countRefusal(appId, row, token!)
    if (count >= REFUSALS_BEFORE_RETIRING) await crm.retireToken(appId, row, token!, outcome.reason)
  }
}
