import { useSignal } from '@preact/signals'
import { api } from '../../api/client.ts'
import { dropDraft } from '../../api/drafts.ts'
import { ApiError } from '../../api/errors.ts'
import { useLoad } from '../../api/load.ts'
import { useTable } from '../../forms/table-form.tsx'
import { Button } from '../../parts/button.tsx'
import { AsCommand } from '../../parts/code.tsx'
import { Form, KEEP_DRAFT } from '../../parts/form.tsx'
import { ConfirmDialog, toast } from '../../parts/overlays.tsx'
import { Reading } from '../../parts/reading.tsx'
import { command, piped } from '../../parts/shell-words.ts'
import { Note, PageHead } from '../../parts/surfaces.tsx'
import type { PageProps } from '../../state/page.ts'
import { href, navigate } from '../../state/router.ts'
import { Fixed, isFixed } from '../delivery/fixed.tsx'
import type { Report } from '../delivery/words.ts'
import { changeOf } from '../series/change-of.ts'
import {
  type Compose,
  type Draft,
  draftOf,
  type Estimate,
  PUSH,
  personalPlaces,
  personalProblems,
  pushOf,
  type SendRequest,
} from './draft.ts'
import { WHEN } from './time.ts'
import { When } from './when.tsx'
import { Who } from './who.tsx'
import { devices, wrongOf } from './words.ts'
import { Looks, useWriting, Written } from './written.tsx'

/** Keys that change neither what a push says nor to whom. */
const TIMING = ['schedule', 'intelligentDelivery', 'ttl', 'rateLimit', 'labels']
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
    <div class="page wide">
      <PageHead
        title="Edit the scheduled push"
        about="It is sent as it stands here, once it is due."
        crumbs={[
          { label: 'Delivery', href: href(`/apps/${appId}/delivery`) },
          { label: title, href: href(`/apps/${appId}/delivery/${id}`) },
        ]}
      />
      <Reading of={stored} lines={8}>
        {(now) =>
          !('request' in now) ? (
            <Fixed appId={appId} report={now.report} />
          ) : now.report.status === SCHEDULED ? (
            <EditForm appId={appId} id={id} stored={now} />
          ) : (
            <Note
              title="It does not wait for its time any more."
              actions={
                <Button size="small" href={href(`/apps/${appId}/push/new?from=${id}`)}>
                  Write another one like it
                </Button>
              }
            >
              What has begun cannot be edited.
            </Note>
          )
        }
      </Reading>
    </div>
  )
}

/** The stored push as the form shows it. */
function firstOf({ report: { schedule, intelligentDelivery, dueInstants }, request }: Stored): Draft {
  const draft = draftOf(request)
  if (intelligentDelivery || schedule?.strategy === 'intelligent') return { ...draft, when: 'intelligent' }
  if (schedule?.strategy === 'local') {
    return { ...draft, when: 'local', local: schedule.sendAt.replace(' ', 'T'), pastTimes: schedule.pastTimes }
  }
  return { ...draft, when: 'at', at: dueInstants[0]?.at ?? null }
}

/** Times that a scheduled push can have: it does not become a series, and nobody can take it back once it is sent. */
const TIMES = WHEN.map((one) =>
  'at' in one && one.at === 'when'
    ? {
        ...one,
        options: (one.options ?? []).flatMap((option) => {
          if (option.value === 'repeat') return []
          return option.value === 'now' ? [{ ...option, about: 'As soon as it is saved' }] : [option]
        }),
      }
    : one,
)

interface EditProps {
  appId: number
  id: string
  stored: Stored
}

function EditForm({ appId, id, stored }: EditProps) {
  const isAsking = useSignal(false)
  const draft = `push-${appId}-edit-${id}`
  const first = firstOf(stored)
  const form: Compose = useTable(PUSH, {
    draft,
    first,
    edits: { before: editedPart(stored), read: async () => editedPart(await read(appId, id)) },
    names: personalPlaces,
    check: personalProblems,
    submit: async () => {
      isAsking.value = true
      return KEEP_DRAFT
    },
  })
  const writing = useWriting(appId, form)
  const { estimate, isAsked } = writing.answers
  const change = changeOf(pushOf(first) ?? {}, pushOf(form.values.value) ?? {})
  const back = `/apps/${appId}/delivery/${id}`
  return (
    <div class="push-compose">
      <Form
        form={form}
        submitLabel="Save the changes"
        more={<Button href={href(back)}>Cancel</Button>}
        isOff={Object.keys(change).length === 0}
        also={
          <AsCommand
            command={piped(change, command`schedules update --app ${appId} ${id} --file -`)}
            call={{ method: 'PATCH', path: `/admin/v1/apps/${appId}/notifications/${id}`, body: change }}
          />
        }
      >
        {isAsked && (
          <Note title="In this app a second person approves each push.">
            Its time you can change here. To change what it says or to whom, cancel it and ask for another one.
          </Note>
        )}
        <Who appId={appId} form={form} estimate={estimate} />
        <Written writing={writing} />
        <When appId={appId} form={form} estimate={estimate} rows={TIMES} />
      </Form>
      <div class="push-beside">
        <Looks writing={writing} />
      </div>
      {isAsking.value && (
        <Ask
          appId={appId}
          id={id}
          form={form}
          change={change}
          estimate={estimate.value.value}
          onSaved={() => {
            dropDraft(draft)
            toast('The push is changed.')
            navigate(back)
          }}
          onClose={() => (isAsking.value = false)}
        />
      )}
    </div>
  )
}

interface AskProps {
  appId: number
  id: string
  form: Compose
  change: Record<string, unknown>
  estimate: Estimate | undefined
  onSaved(): void
  onClose(): void
}

/** The last look. Where the app asks for it, the number of recipients is typed again. */
function Ask({ appId, id, form, change, estimate, onSaved, onClose }: AskProps) {
  const { audience = 0, recipients = 0, confirmAbove = null } = estimate ?? {}
  const isMore = Object.keys(change).some((key) => !TIMING.includes(key))
  const mustConfirm = isMore && confirmAbove !== null && audience > confirmAbove
  const isNow = form.values.value.when === 'now'
  const run = async () => {
    try {
      const body = { ...change, ...(mustConfirm && { confirm: audience }) }
      await api.patch('/admin/v1/apps/{appId}/notifications/{id}', { path: { appId, id }, body })
    } catch (error) {
      if (!(error instanceof ApiError) || Object.keys(error.fields).length === 0) throw error
      // What stands beside its field needs no words here.
      if (form.fail(error).length === 0) throw new Error(wrongOf(error), { cause: error })
      return
    }
    onSaved()
  }
  return (
    <ConfirmDialog
      title={isNow ? 'Save the changes and send it now?' : 'Save the changes?'}
      action={isNow ? 'Send it now' : 'Save the changes'}
      tone="primary"
      {...(mustConfirm && { typed: String(audience) })}
      run={run}
      onClose={onClose}
    >
      <p>
        It goes to {devices(recipients)}, as of now
        {isNow ? ', and cannot be taken back.' : '. Until it is due you can edit it again.'}
      </p>
    </ConfirmDialog>
  )
}
