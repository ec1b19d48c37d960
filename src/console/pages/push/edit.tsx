import { api } from '../../api/client.ts'
import { useLoad } from '../../api/load.ts'
import { useTable } from '../../forms/table-form.tsx'
import { command } from '../../parts/shell-words.ts'
import { Note } from '../../parts/surfaces.tsx'
import type { PageProps } from '../../state/page.ts'
import { Fixed, isFixed } from '../delivery/fixed.tsx'
import type { Report } from '../delivery/words.ts'
import { changeOf } from '../series/change-of.ts'
import { type Compose, draftOf, PUSH, personalPlaces, personalProblems, pushOf, type SendRequest } from './draft.ts'
import { EditFrame, EditPage, TIMES, timed, useAsking } from './edit-scheduled.tsx'
import { When } from './when.tsx'
import { Who } from './who.tsx'
import { devices } from './words.ts'
import { Looks, useWriting, Written } from './written.tsx'

const SCHEDULED = 0

interface Stored {
  report: Report
  request: SendRequest
}

/** Reads a push to edit it; of one that belongs to something else only the report. */
async function readEditable(appId: number, id: string, signal: AbortSignal): Promise<Stored | Pick<Stored, 'report'>> {
  const report = await api.get('/admin/v1/apps/{appId}/deliveries/{id}', { path: { appId, id }, signal })
  return isFixed(report) ? { report } : read(appId, id, signal)
}

/** Reads a push as it waits: its request has no time of its own. */
async function read(appId: number, id: string, signal?: AbortSignal): Promise<Stored> {
  const call = { path: { appId, id }, ...(signal && { signal }) }
  const [report, request] = await Promise.all([
    api.get('/admin/v1/apps/{appId}/deliveries/{id}', call),
    api.get('/admin/v1/apps/{appId}/notifications/{id}/request', call),
  ])
  return { report, request }
}

/** Parts of a stored push that an edit replaces: counts and the like change by themselves. */
const editedPart = ({ report: { status, schedule, intelligentDelivery }, request }: Stored) => ({
  status,
  schedule,
  intelligentDelivery,
  request,
})

/** Changes a scheduled push until it is due: what it says, to whom and when. */
export default function EditPush({ appId, params }: PageProps) {
  const id = params['notificationId']!
  const stored = useLoad((signal) => readEditable(appId, id, signal), [appId, id])
  const title = stored.value.value?.report.title || `Notification ${id}`
  return (
    <EditPage
      what="push"
      crumbs={[
        ['Delivery', `/apps/${appId}/delivery`],
        [title, `/apps/${appId}/delivery/${id}`],
      ]}
      stored={stored}
      again={`/apps/${appId}/push/new?from=${id}`}
      isWaiting={(now) => !('request' in now) || now.report.status === SCHEDULED}
    >
      {(now) =>
        'request' in now ? <EditForm appId={appId} id={id} stored={now} /> : <Fixed appId={appId} report={now.report} />
      }
    </EditPage>
  )
}

interface EditProps {
  appId: number
  id: string
  stored: Stored
}

function EditForm({ appId, id, stored }: EditProps) {
  const draft = `push-${appId}-edit-${id}`
  const { isAsking, options } = useAsking(draft)
  const { report, request } = stored
  const first = timed(draftOf(request), report, report.dueInstants[0]?.at)
  const form: Compose = useTable(PUSH, {
    ...options,
    first,
    edits: { before: editedPart(stored), read: async () => editedPart(await read(appId, id)) },
    names: personalPlaces,
    check: personalProblems,
  })
  const writing = useWriting(appId, form)
  const { estimate, isAsked } = writing.answers
  const counted = estimate.value.value
  return (
    <EditFrame
      what="push"
      form={form}
      isAsking={isAsking}
      draft={draft}
      change={changeOf(pushOf(first) ?? {}, pushOf(form.values.value) ?? {})}
      besides={['rateLimit']}
      back={`/apps/${appId}/delivery/${id}`}
      command={command`schedules update --app ${appId} ${id} --file -`}
      path={`/admin/v1/apps/${appId}/notifications/${id}`}
      save={(body) => api.patch('/admin/v1/apps/{appId}/notifications/{id}', { path: { appId, id }, body })}
      estimate={counted}
      reach={devices(counted?.recipients ?? 0)}
      beside={<Looks writing={writing} />}
    >
      {isAsked && (
        <Note title="In this app a second person approves each push.">
          Its time you can change here. To change what it says or to whom, cancel it and ask for another one.
        </Note>
      )}
      <Who appId={appId} form={form} estimate={estimate} />
      <Written writing={writing} />
      <When appId={appId} form={form} estimate={estimate} rows={TIMES} />
    </EditFrame>
  )
}
