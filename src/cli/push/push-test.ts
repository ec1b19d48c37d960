import { platformOf } from '../../domain/gateways/registry.ts'
import { createSenders } from '../../domain/gateways/senders.ts'
import { gatewaySettings } from '../../domain/gateways/settings.ts'
import type { NotificationRequest } from '../../domain/notifications/request/request.ts'
import type { StoredContent } from '../../domain/notifications/types.ts'
import { SOURCE } from '../../domain/notifications/types.ts'
import { AppError } from '../../platform/errors.ts'
import type { Program } from '../../program.ts'

/** The answer of the gateway. `kind` is an outcome of gateway.ts or a state of the delivery (`pending`, `expired`…). */
export interface TestOutcome {
  kind: string
  reason?: string
  providerId?: string
}

export interface PushTest {
  program: Program
  appId: number
  installId: string
  /** The push to this install. */
  request: NotificationRequest
}

/**
 * Sends once from this process, for when no server runs. Stores nothing and sends nothing else that is queued. Throws
 * `not_found` for an unknown install, `config` if the app has no usable gateway for it, and `invalid` if the content
 * may not be sent.
 */
export async function sendDirectly({ program, appId, installId, request }: PushTest): Promise<TestOutcome> {
  const { row } = await program.crm.showInstall(appId, installId)
  const [recipient] = await program.crm.deliveryRecipients(appId, [row])
  const platform = recipient?.platform == null ? undefined : platformOf(recipient.platform)
  if (!recipient?.token || !platform)
    throw new AppError('invalid', `install ${installId} has no push token, so it cannot be reached`)
  const content = await contentFor(program, appId, request, row)
  if ('kind' in content) return content
  const { clock, config } = program.kernel
  const senders = createSenders(program.gateways, gatewaySettings(config), () => clock.now())
  try {
    const sender = await senders.find(appId, platform)
    if (!sender)
      throw new AppError(
        'config',
        `app ${appId} has no ${platform} gateway that can send: configure one with appsvc gateways set`,
      )
    const prepared = sender.prepare({
      content: { ...content, notificationId: 0 },
      expiresAt: clock.now() + 60_000,
      replacementKey: 'test',
    })
    const { token, environment, topic, tokenKeys, tokenAt } = recipient
    const outcome = await sender.send(prepared, {
      token,
      ...(environment && { environment }),
      ...(topic && { topic }),
      ...(tokenKeys && { keys: tokenKeys }),
      ...(tokenAt !== null && { registeredAt: tokenAt }),
    })
    return {
      kind: outcome.kind,
      ...('reason' in outcome && { reason: outcome.reason }),
      ...('providerId' in outcome && outcome.providerId !== undefined && { providerId: outcome.providerId }),
    }
  } finally {
    await senders.close()
  }
}

/** The content as the install gets it, or the outcome when it gets none. */
async function contentFor(
  program: Program,
  appId: number,
  request: NotificationRequest,
  row: number,
): Promise<StoredContent | TestOutcome> {
  const draft = await program.drafts.draftOf(appId, request)
  const edited = await program.drafts.forInstall(appId, draft, row)
  if ('missing' in edited) return withoutValues(edited.missing)
  if (!('content' in edited)) return { kind: 'payload_error', reason: 'a text is too long for any push' }
  return edited.content
}

/** The outcome for an install that gets nothing because these expressions have no value for it. */
const withoutValues = (missing: readonly string[]): TestOutcome => ({
  kind: 'missing_value',
  reason: `no value for ${missing.join(', ')}`,
})

const LOOK_MS = 50
const UNDER_WAY = new Set(['waiting', 'pending', 'begun', 'moved'])

/**
 * Sends a notification to the install through the running server and waits at most `waitMs` for the outcome. Throws as `accept`
 * does, and `invalid` if the install cannot be reached.
 */
export async function sendThroughServer(
  { program, appId, installId, request }: PushTest,
  waitMs: number,
): Promise<{ notification: number; outcome: TestOutcome }> {
  const { notification } = await program.inTransaction((tx) => tx.sends.accept(appId, SOURCE.cli, request))
  if (!notification) {
    await program.crm.showInstall(appId, installId)
    throw new AppError('invalid', `install ${installId} is not subscribed to pushes, so it cannot be reached`)
  }
  const until = program.kernel.clock.monotonic() + waitMs
  for (;;) {
    const trace = await program.traces.recipient(appId, notification.id, installId)
    const answer = trace.answers.at(-1)
    if (!UNDER_WAY.has(trace.state)) {
      const outcome =
        trace.state === 'missing_value'
          ? withoutValues(trace.answers.map(({ reason }) => reason))
          : { kind: trace.state, ...(answer && { reason: answer.reason }) }
      return { notification: notification.id, outcome }
    }
    if (program.kernel.clock.monotonic() >= until) {
      return { notification: notification.id, outcome: await whyWaiting(program, appId) }
    }
    await program.kernel.clock.sleep(LOOK_MS)
  }
}

async function whyWaiting(program: Program, appId: number): Promise<TestOutcome> {
  const now = program.kernel.clock.now()
  const held = (await program.gateways.lanes.list(appId)).find((lane) => lane.heldUntil > now)
  return held
    ? { kind: held.holdKind ?? 'pending', reason: held.holdReason ?? '' }
    : { kind: 'pending', reason: 'not delivered in time' }
}
