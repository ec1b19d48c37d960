import { useEffect } from 'preact/hooks'
import { api } from '../../api/client.ts'
import { useLoad } from '../../api/load.ts'
import { now } from '../../parts/now.ts'
import { ORDER } from '../../parts/platforms.ts'
import { Card } from '../../parts/surfaces.tsx'
import { KeyValues } from '../../parts/values.tsx'
import { currentApp, may } from '../../state/session.ts'
import type { Estimate } from '../push/draft.ts'
import { readable } from '../push/personal/template.ts'
import { MockUp } from '../push/preview.tsx'
import { type Payload, shownOf } from '../push/shown.ts'
import { devices } from '../push/words.ts'
import { whenInWords } from './when-words.ts'
import type { Report } from './words.ts'

/** An audience changes while a push waits for its time. */
const COUNT_AGAIN_MS = 60_000

/** A push that waits for its time: what it says, to whom it would go now, and when. */
export function Planned({ appId, report }: { appId: number; report: Report }) {
  const { id, schedule, intelligentDelivery, dueInstants } = report
  const path = { appId, id }
  // What is asked about an audience is for people who send.
  const isAsked = may('campaign', appId)
  const read = async (signal: AbortSignal) => {
    const request = await api.get('/admin/v1/apps/{appId}/notifications/{id}/request', { path, signal })
    const { target, purpose, priority, ttl: _, rateLimit: __, reportingMeta: ___, labels: ____, ...saying } = request
    const time = intelligentDelivery ? { intelligentDelivery } : { schedule }
    const aim = { target, ...time, ...(purpose && { purpose }), ...(priority && { priority }) }
    const [estimate, { items }] = await Promise.all([
      // A target of several groups, which servers may name, is none that is counted here.
      api
        .post('/admin/v1/apps/{appId}/notifications/estimate', { path: { appId }, body: aim, signal })
        .catch(() => undefined),
      api.post('/admin/v1/apps/{appId}/notifications/payloads', { path: { appId }, body: saying as never, signal }),
    ])
    return { estimate, payload: payloadFor(estimate, items) }
  }
  const loaded = useLoad(isAsked ? read : null, [appId, id, report])
  useEffect(() => {
    const timer = setInterval(loaded.reload, COUNT_AGAIN_MS)
    return () => clearInterval(timer)
  }, [id])
  const { estimate, payload } = loaded.value.value ?? {}
  const due = estimate?.times.length ? estimate.times : dueInstants.map(({ at }) => ({ at }))
  return (
    <Card title="Waiting for its time">
      <div class="push-review delivery-planned">
        <MockUp
          platform={payload?.platform ?? 'ios'}
          shown={wordsOf(report, payload)}
          app={currentApp.value?.name ?? 'App'}
          isDark={false}
          isOpen={false}
        />
        <KeyValues
          items={[
            ['When', whenInWords(schedule, due, now.value)],
            ...(estimate ? [['To', `${devices(estimate.recipients)}, as of now`] as const] : []),
          ]}
        />
      </div>
    </Card>
  )
}

/** The request to the gateway that most of its recipients have. */
function payloadFor(estimate: Estimate | undefined, items: readonly Payload[]): Payload | undefined {
  const most = estimate?.platforms.toSorted((a, b) => b.recipients - a.recipients)[0]?.platform
  return items.find(({ platform }) => platform === (most ?? ORDER[0]))
}

/** Words on the phone; where they differ between people, with the names of the values. */
function wordsOf({ title, message, personalization }: Report, payload: Payload | undefined) {
  const shown = payload ? shownOf(payload) : { title, message, buttons: [] }
  if (personalization === undefined) return shown
  return { ...shown, title: readable(shown.title), message: readable(shown.message) }
}
