import type { App } from '../../app.ts'
import type { Accepted } from '../../domain/inapp/accept.ts'
import { fromInAppForm, inAppForm } from '../../domain/inapp/schema.ts'
import { SOURCE } from '../../domain/inapp/types.ts'
import { parseJson } from '../../platform/parse.ts'
import { presentMessage } from '../../server/present/in-app.ts'
import { type Deliver, IN_APP, type Result, refusalOf, resultOf } from './result.ts'
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
  return async (value) => {
    try {
      const request = fromInAppForm(parseJson(inAppForm, value))
      return resultOfAccepted(await app.inTransaction((tx) => tx.inApp.accept(appId, SOURCE.cli, request)))
    } catch (error) {
      return refusalOf(IN_APP, error)
    }
  }
}

/** Says who would get a message and what devices would show. Nothing is stored. */
export function inAppDryRun(app: App, appId: number): Deliver {
  return async (value) => {
    try {
      const request = fromInAppForm(parseJson(inAppForm, value))
      const accepted = await tryOut(app, (tx) => tx.inApp.accept(appId, SOURCE.cli, request))
      const result = resultOfAccepted(accepted)
      const { message, target } = accepted
      if (!message || !target) return result
      const { content, notification } = message
      const preview: InAppPreview = {
        ...(await app.inAppFanOut.preview(appId, target, { pushes: notification !== null })),
        content,
      }
      return { ...result, message: null, preview }
    } catch (error) {
      return refusalOf(IN_APP, error)
    }
  }
}

/** 202, or 400 when nobody who was named can get it. */
function resultOfAccepted({ message, errors }: Accepted): Result {
  const some = Object.keys(errors).length > 0
  if (message === null) return resultOf(IN_APP, 400, null, errors)
  return resultOf(IN_APP, 202, presentMessage(message), some ? errors : null)
}
