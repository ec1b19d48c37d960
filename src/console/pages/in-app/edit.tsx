import { api } from '../../api/client.ts'
import { useLoad } from '../../api/load.ts'
import { Fields } from '../../forms/fields.tsx'
import { useTable } from '../../forms/table-form.tsx'
import { command } from '../../parts/shell-words.ts'
import type { PageProps } from '../../state/page.ts'
import { Fixed, isFixed } from '../delivery/fixed.tsx'
import { EditFrame, EditPage, TIMES, timed, useAsking } from '../push/edit-scheduled.tsx'
import { Timing } from '../push/when.tsx'
import { changeOf } from '../series/change-of.ts'
import { type ComposeForm, draftOfMessage, MESSAGE, messageOf, SHOWN } from './draft.ts'
import { Looks } from './looks.tsx'
import { Who } from './who.tsx'
import { people, SCHEDULED, titleOf } from './words.ts'
import { useTagOptions, useWriting, Written } from './written.tsx'

const PATH = '/admin/v1/apps/{appId}/in-app-messages/{id}'

/** Reads a message as it waits: its request has no time of its own. */
async function read(appId: number, id: string, signal?: AbortSignal) {
  const call = { path: { appId, id }, ...(signal && { signal }) }
  const [report, request] = await Promise.all([api.get(PATH, call), api.get(`${PATH}/request`, call)])
  return { report, request }
}
type Stored = Awaited<ReturnType<typeof read>>

/** Parts of a stored message that an edit replaces: counts and the like change by themselves. */
const editedPart = ({ report: { status, schedule, intelligentDelivery }, request }: Stored) => ({
  status,
  schedule,
  intelligentDelivery,
  request,
})

/** Changes a scheduled in-app message until it is due: what it says, to whom and when. */
export default function EditMessage({ appId, params }: PageProps) {
  const id = params['messageId']!
  const stored = useLoad((signal) => read(appId, id, signal), [appId, id])
  const report = stored.value.value?.report
  return (
    <EditPage
      what="message"
      crumbs={[
        ['In-app messages', `/apps/${appId}/in-app`],
        [report ? titleOf(report) : `Message ${id}`, `/apps/${appId}/in-app/${id}`],
      ]}
      stored={stored}
      isWaiting={(now) => now.report.status === SCHEDULED}
    >
      {(now) =>
        isFixed(now.report) ? (
          <Fixed appId={appId} report={now.report} />
        ) : (
          <EditForm appId={appId} id={id} stored={now} />
        )
      }
    </EditPage>
  )
}

/** Keys that are put into the template: what was looked at here is its newest version. */
const TEXTS = ['content', 'personalize', 'lookup', 'languages']

function EditForm({ appId, id, stored }: { appId: number; id: string; stored: Stored }) {
  const draft = `in-app-message-${appId}-edit-${id}`
  const { isAsking, options } = useAsking(draft)
  const { tags, options: tagOptions } = useTagOptions()
  const { report, request } = stored
  const first = timed(draftOfMessage(request), report, report.nextAt)
  const form: ComposeForm = useTable(MESSAGE, {
    ...options,
    ...tagOptions,
    first,
    edits: { before: editedPart(stored), read: async () => editedPart(await read(appId, id)) },
  })
  const writing = useWriting(appId, form, tags)
  const { estimate } = writing.answers
  const counted = estimate.value.value
  const { template } = form.values.value
  const change = changeOf(messageOf(first) ?? {}, messageOf(form.values.value) ?? {})
  return (
    <EditFrame
      what="message"
      form={form}
      isAsking={isAsking}
      draft={draft}
      change={TEXTS.some((key) => key in change) ? { ...change, template } : change}
      besides={['presentedWhen']}
      back={`/apps/${appId}/in-app/${id}`}
      command={command`in-app update --app ${appId} ${id} --file -`}
      path={`/admin/v1/apps/${appId}/in-app-messages/${id}`}
      save={(body) => api.patch(PATH, { path: { appId, id }, body })}
      estimate={counted}
      reach={people(counted?.recipients ?? 0)}
      beside={<Looks writing={writing} />}
    >
      <Who appId={appId} form={form} estimate={estimate} />
      <Written writing={writing} />
      <Timing appId={appId} form={form} rows={TIMES}>
        <Fields form={form} rows={SHOWN} />
      </Timing>
    </EditFrame>
  )
}
