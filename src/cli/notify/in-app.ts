import type { App } from '../../app.ts'
import { confirmationFor } from '../../domain/audience/confirmation.ts'
import type { Accepted } from '../../domain/in-app/accept/accept.ts'
import { fromInAppForm, inAppForm } from '../../domain/in-app/request/request.ts'
import { SOURCE } from '../../domain/in-app/types.ts'
import { parseJson } from '../../platform/parse.ts'
import { presentMessage } from '../../server/present/in-app.ts'
import { type Deliver, deliverBy, IN_APP, type Result, resultOfAccepted } from './result.ts'
import { tryOut } from './try-out.ts'

/** What `--dry-run` says of a message. */
export interface InAppPreview {
  /** Users who would get it, whenever that is. */
  recipients: number
  /** Some of them by name. */
  first: string[]
  /** Installs that the linked push would go to. */
  pushes: number
  /** What `confirm` would have to be at least; null when nothing is missing. */
  confirm: number | null
  /** What devices would get. */
  content: unknown
}

/** Takes in-app messages as the HTTP interface does, straight into the database. */
export function inAppIntoDatabase(app: App, appId: number): Deliver {
  return deliverBy(IN_APP, async (value) => {
    const request = fromInAppForm(parseJson(inAppForm, value))
    const measured = await app.inApp.measure(appId, request)
    return resultOf(await app.inTransaction((tx) => tx.inApp.accept(appId, SOURCE.cli, request, measured)))
  })
}

/** Says who would get a message and what devices would show. Nothing is stored. */
export function inAppDryRun(app: App, appId: number): Deliver {
  return deliverBy(IN_APP, async (value) => {
    const request = fromInAppForm(parseJson(inAppForm, value))
    // Whether it must be confirmed is told below, beside everything else.
    const accepted = await tryOut(app, (tx) => tx.inApp.accept(appId, SOURCE.cli, request, null))
    const result = resultOf(accepted)
    const { message, target } = accepted
    if (!message || !target) return result
    const { content, notification } = message
    const reach = await app.inAppReach.preview(appId, target, { pushes: notification !== null })
    const confirm = confirmationFor(await app.apps.confirmAbove(appId), reach.recipients, request.confirm)
    const preview: InAppPreview = { ...reach, confirm, content }
    return { ...result, message: null, preview }
  })
}

function resultOf({ message, errors }: Accepted): Result {
  return resultOfAccepted(IN_APP, message && presentMessage(message), errors)
}
