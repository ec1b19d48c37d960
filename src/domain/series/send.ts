import type { Measured } from '../audience/confirmation.ts'
import type { Accepted as AcceptedMessage } from '../in-app/accept/accept.ts'
import type { InAppRequest } from '../in-app/request/request.ts'
import type { InAppService } from '../in-app/service.ts'
import type { Source as InAppSource, TEST_SOURCE } from '../in-app/types.ts'
import type { Accepted, SendsService } from '../notifications/accept/sends.service.ts'
import type { NotificationRequest } from '../notifications/request/request.ts'
import type { Source } from '../notifications/types.ts'
import type { SeriesAhead, SeriesService } from './service.ts'

/** The series that a request made, beside what every request makes. */
interface Repeated {
  series?: SeriesAhead | undefined
}

interface Asked<Request, From> {
  source: From
  /** The checked body, and what it says. */
  body: object
  request: Request
  measured?: Measured | undefined
}

/** Accepts a push: once, or as a series when it repeats; then what is returned is its first occurrence. Throws as both do. */
export async function sendPush(
  { sends, series }: { sends: Pick<SendsService, 'accept'>; series: Pick<SeriesService, 'createPush'> },
  appId: number,
  { source, body, request, measured }: Asked<NotificationRequest, Source>,
): Promise<Accepted & Repeated> {
  if (!request.recurrence) return sends.accept(appId, source, request, measured)
  const made = await series.createPush(appId, { source, body: body as Record<string, unknown>, measured })
  return { ...made.accepted, series: made.series }
}

/** The same for an in-app message. */
export async function sendMessage(
  { inApp, series }: { inApp: Pick<InAppService, 'accept'>; series: Pick<SeriesService, 'createMessage'> },
  appId: number,
  { source, body, request, measured }: Asked<InAppRequest, Exclude<InAppSource, typeof TEST_SOURCE>>,
): Promise<AcceptedMessage & Repeated> {
  if (!request.recurrence) return inApp.accept(appId, source, request, measured)
  const made = await series.createMessage(appId, { source, body: body as Record<string, unknown>, measured })
  return { ...made.accepted, series: made.series }
}
