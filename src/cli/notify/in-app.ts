import type { App } from '../../app.ts'
import type { Accepted } from '../../domain/inapp/accept.ts'
import { fromInAppForm, inAppForm } from '../../domain/inapp/schema.ts'
import { SOURCE } from '../../domain/inapp/types.ts'
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
  /** What devices would get. */
  content: unknown
}

/** Takes in-app messages as the HTTP interface does, straight into the database. */
export function inAppIntoDatabase(app: App, appId: number): Deliver {
  return deliverBy(IN_APP, async (value) => {
    const request = fromInAppForm(parseJson(inAppForm, value))
    return resultOf(await app.inTransaction((tx) => tx.inApp.accept(appId, SOURCE.cli, request)))
  })
}

/** Says who would get a message and what devices would show. Nothing is stored. */
export function inAppDryRun(app: App, appId: number): Deliver {
  return deliverBy(IN_APP, async (value) => {
    const request = fromInAppForm(parseJson(inAppForm, value))
    const accepted = await tryOut(app, (tx) => tx.inApp.accept(appId, SOURCE.cli, request))
    const result = resultOf(accepted)
    const { message, target } = accepted
    if (!message || !target) return result
    const { content, notification } = message
    const preview: InAppPreview = {
      ...(await app.inAppFanOut.preview(appId, target, { pushes: notification !== null })),
      content,
    }
    return { ...result, message: null, preview }
  })
}

function resultOf({ message, errors }: Accepted): Result {
  return resultOfAccepted(IN_APP, message && presentMessage(message), errors)
}
