import type { App } from '../../app.ts'
import { confirmationFor } from '../../domain/audience/confirmation.ts'
import type { Platform } from '../../domain/gateways/registry.ts'
import { findGateway } from '../../domain/gateways/registry.ts'
import { fromMessagesForm, messagesForm } from '../../domain/notifications/schema.ts'
import { SOURCE } from '../../domain/notifications/types.ts'
import { parseJson } from '../../platform/parse.ts'
import { resultOf } from './local.ts'
import { type Deliver, deliverBy, NOTIFICATIONS } from './result.ts'
import { tryOut } from './try-out.ts'

/** Says who would get a notification and what each gateway would be sent. Nothing is stored, nothing leaves the machine. */
export function dryRun(app: App, appId: number): Deliver {
  return deliverBy(NOTIFICATIONS, async (value) => {
    const request = fromMessagesForm(parseJson(messagesForm, value))
    // Whether it must be confirmed is told below, beside everything else.
    const accepted = await tryOut(app, (tx) => tx.notifications.accept(appId, SOURCE.cli, request, null))
    const { notification } = accepted
    const result = resultOf(accepted)
    if (!notification) return result
    const audience = await app.audience.count(appId, notification.target)
    const configured = (await app.gateways.list(appId))
      .filter(({ sendable }) => sendable)
      .map(({ platform }) => platform)
    const message = {
      content: { ...notification.content, notificationId: notification.id },
      expiresAt: notification.expiresAt,
      replacementKey: `n${notification.id}`,
    }
    const gateways = (Object.keys(audience) as Platform[]).map((platform) => ({
      platform,
      recipients: audience[platform]!,
      configured: configured.includes(platform),
      request: findGateway(platform)?.preview(message) ?? null,
    }))
    const recipients = gateways.reduce((sum, one) => sum + one.recipients, 0)
    const confirm = confirmationFor(await app.apps.confirmAbove(appId), recipients, request.confirm)
    return { ...result, notification: null, preview: { recipients, confirm, gateways } }
  })
}
