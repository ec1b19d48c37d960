import { confirmationFor } from '../../domain/audience/confirmation.ts'
import { fromInAppForm, inAppForm } from '../../domain/in-app/request/request.ts'
import { SOURCE } from '../../domain/in-app/types.ts'
import { USUAL_SAMPLE } from '../../domain/personalization/request/sample-size.ts'
import { repeatsOf } from '../../domain/schedules/recurrence.ts'
import { sendMessage } from '../../domain/series/send.ts'
import { parseJson } from '../../platform/values/parse.ts'
import { presentAcceptedMessage } from '../../present/api/in-app.ts'
import { inAppCoverage } from '../../present/api/previews.ts'
import { presentTimes } from '../../present/api/series.ts'
import type { Program } from '../../program.ts'
import { type Deliver, deliverBy, IN_APP, type Result, resultOfAccepted } from './result.ts'
import { measuring, sharedWrites } from './shared-writes.ts'
import { tryOut } from './try-out.ts'

/** The preview of a message for `--dry-run`. */
export interface InAppPreview {
  /** Number of users who would get it in the end. */
  recipients: number
  /** Identifiers of some of them. */
  first: string[]
  /** Number of installs that would get the linked push. */
  pushes: number
  /** The minimum for `confirm`; null if none is required. */
  confirm: number | null
  /** The document that devices would get; of a message that differs between users, the first of `first`. Null: they would get nothing. */
  content: unknown
  /** The next five times of a message that repeats. */
  next?: string[]
  /** The user as whom a message is shown that differs between users, their language, and the expressions without a value. */
  as?: { user: string; language: string | null; missing: readonly string[] }
  /** Sentences about texts that are probably not meant. */
  warnings?: string[]
  /** The results for a sample of the recipients; present where that differs between users. */
  personalization?: ReturnType<typeof inAppCoverage.present>
}

/**
 * Accepts in-app messages into the local database, as the HTTP interface does. `isPerson`: for somebody on another machine, who
 * may need a second person for the push that announces a message. `isServed`: a server runs on the same SQLite file.
 */
export function inAppIntoDatabase(
  program: Program,
  appId: number,
  { isPerson, isServed }: { isPerson: boolean; isServed: boolean },
): Deliver {
  const measure = measuring(program, program.inApp.measure)
  const accept = sharedWrites(program, {
    isServed,
    accept: (tx, asked: Measured) => sendMessage(tx, appId, { ...asked, source: SOURCE.cli }),
  })
  return deliverBy(IN_APP, async (value) => {
    const body = parseJson(inAppForm, value)
    const request = fromInAppForm(body)
    if (isPerson && request.notification !== undefined) await program.approvals.requireNone(appId)
    return resultOf(await accept({ body, request, measured: await measure(appId, request) }))
  })
}

interface Measured {
  body: object
  request: ReturnType<typeof fromInAppForm>
  measured: Awaited<ReturnType<Program['inApp']['measure']>>
}

/** Reports the users who would get a message and what devices would show. Stores nothing. */
export function inAppDryRun(program: Program, appId: number): Deliver {
  return deliverBy(IN_APP, async (value) => {
    const request = fromInAppForm(parseJson(inAppForm, value))
    // `null` skips the check of `confirm`, which is reported in the preview instead.
    const { recurrence, ...once } = request
    const repeats = repeatsOf({ recurrence }, program.kernel.clock.now())
    const accepted = await tryOut(program, (tx) => tx.inApp.accept(appId, SOURCE.cli, once, null))
    const result = resultOf(accepted)
    const { message, target } = accepted
    if (!message || !target) return result
    const { notification, personal } = message
    const reach = await program.inAppReach.preview(appId, target, { pushes: notification !== null })
    const confirm = confirmationFor(await program.apps.confirmAbove(appId), reach.recipients, request.confirm)
    const user = personal ? reach.first[0] : undefined
    const person = user === undefined ? undefined : { userId: user }
    const { shown, language, missing, warnings } = await program.inApp.preview(appId, request, person)
    const { targeting, consent } = once
    const saying = { request: once, sample: USUAL_SAMPLE }
    const coverage = personal && (await program.inApp.estimate(appId, { targeting, consent, saying })).coverage
    const preview: InAppPreview = {
      ...reach,
      confirm,
      content: shown?.content ?? null,
      ...(user !== undefined && { as: { user, language, missing } }),
      ...(warnings.length > 0 && { warnings }),
      ...(coverage && { personalization: inAppCoverage.present(coverage) }),
      ...(repeats && { next: presentTimes(repeats.rule, repeats.next) }),
    }
    return { ...result, message: null, preview }
  })
}

function resultOf(accepted: Parameters<typeof presentAcceptedMessage>[0]): Result {
  const { message, series } = presentAcceptedMessage(accepted)
  return resultOfAccepted(IN_APP, message, accepted.errors, series)
}
