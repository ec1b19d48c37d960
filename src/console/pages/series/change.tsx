import type { ComponentChildren } from 'preact'
import { api, asked } from '../../api/client.ts'
import { useGet } from '../../api/load.ts'
import { Fields } from '../../forms/fields.tsx'
import type { Rows } from '../../forms/table.ts'
import { type TableState, useTable } from '../../forms/table-form.tsx'
import { Button } from '../../parts/button.tsx'
import { AsCommand } from '../../parts/code.tsx'
import { Form } from '../../parts/form.tsx'
import { toast } from '../../parts/overlays.tsx'
import { Reading } from '../../parts/reading.tsx'
import { Card, Note, PageHead } from '../../parts/surfaces.tsx'
import type { PageProps } from '../../state/page.ts'
import { href, navigate } from '../../state/router.ts'
import { type ComposeForm, draftOfSeries as draftOfMessages, MESSAGE, messageOf, SHOWN } from '../in-app/draft.ts'
import { Looks as LooksOfMessage } from '../in-app/looks.tsx'
import { Who as Recipients } from '../in-app/who.tsx'
import { useWriting as useMessage, useTagOptions, Written as WrittenMessage } from '../in-app/written.tsx'
import { type Compose, PACE, PUSH, personalPlaces, personalProblems, pushOf } from '../push/draft.ts'
import { Who } from '../push/who.tsx'
import { Looks, useWriting, Written } from '../push/written.tsx'
import { changeOf, draftOfSeries, isShownWhole } from './change-of.ts'
import { Repeat } from './repeat.tsx'
import { REPEAT, recurringOf, STORED_RULE } from './rows.ts'
import { type Report, titleOf } from './words.ts'

const SERIES = '/admin/v1/apps/{appId}/series/{id}'

/** Changes a series from its next time on: what it says, to whom and when; of one that no form shows, when. */
export default function ChangeSeries({ appId, params }: PageProps) {
  const id = params['seriesId']!
  const report = useGet(SERIES, { path: { appId, id } })
  const found = report.value.value
  return (
    <div class={found && isShownWhole(found) ? 'page wide' : 'page narrow'}>
      <PageHead
        title="Edit the series"
        about="From its next time on. What has begun goes on as it was."
        crumbs={[
          { label: 'Series', href: href(`/apps/${appId}/series`) },
          { label: found ? titleOf(found) : `Series ${id}`, href: href(`/apps/${appId}/series/${id}`) },
        ]}
      />
      <Reading of={report} lines={8}>
        {(now) =>
          !isShownWhole(now) ? (
            <ChangeRule appId={appId} found={now} />
          ) : now.kind === 'push' ? (
            <ChangePush appId={appId} found={now} />
          ) : (
            <ChangeMessage appId={appId} found={now} />
          )
        }
      </Reading>
    </div>
  )
}

interface ChangeProps {
  appId: number
  found: Report
}

/** Options of both forms: the call, the place of the draft, and the page that follows. */
const waysOf = ({ appId, found: { id, request } }: ChangeProps) => ({
  draft: `series-${appId}-${id}`,
  edits: { before: request, read: async () => (await api.get(SERIES, { path: { appId, id } })).request },
  change: (body: Record<string, unknown>) => asked('patch', SERIES, { path: { appId, id }, body }),
  done() {
    toast('The series is changed.')
    navigate(`/apps/${appId}/series/${id}`)
  },
})

function ChangePush({ appId, found }: ChangeProps) {
  const { change, ...ways } = waysOf({ appId, found })
  const first = draftOfSeries(found.request)
  const form: Compose = useTable(PUSH, {
    ...ways,
    first,
    names: personalPlaces,
    check: personalProblems,
    call: (_, values) => change(changeOf(pushOf(first) ?? {}, pushOf(values) ?? {})),
  })
  const writing = useWriting(appId, form)
  return (
    <div class="push-compose">
      <Frame appId={appId} id={found.id} form={form}>
        <Who appId={appId} form={form} estimate={writing.answers.estimate} />
        <Written writing={writing} />
        <Card title="When">
          <div class="stack">
            <Repeat appId={appId} form={form} />
            <Fields form={form} rows={PACE} />
          </div>
        </Card>
      </Frame>
      <div class="push-beside">
        <Looks writing={writing} />
      </div>
    </div>
  )
}

function ChangeMessage({ appId, found }: ChangeProps) {
  const { change, ...ways } = waysOf({ appId, found })
  const { tags, options } = useTagOptions()
  const first = draftOfMessages(found.request)
  const form: ComposeForm = useTable(MESSAGE, {
    ...ways,
    ...options,
    first,
    call: (_, values) => change(changeOf(messageOf(first) ?? {}, messageOf(values) ?? {})),
  })
  const writing = useMessage(appId, form, tags)
  return (
    <div class="push-compose">
      <Frame appId={appId} id={found.id} form={form}>
        <Recipients appId={appId} form={form} estimate={writing.answers.estimate} />
        <WrittenMessage writing={writing} />
        <Card title="When">
          <div class="stack">
            <Repeat appId={appId} form={form} />
            <Fields form={form} rows={SHOWN} />
          </div>
        </Card>
      </Frame>
      <div class="push-beside">
        <LooksOfMessage writing={writing} />
      </div>
    </div>
  )
}

function ChangeRule({ appId, found }: ChangeProps) {
  const { change, ...ways } = waysOf({ appId, found })
  const form = useTable([...REPEAT, ...STORED_RULE], {
    ...ways,
    of: found.request,
    call: (_, values) => change({ schedule: recurringOf(values) }),
  })
  return (
    <Frame appId={appId} id={found.id} form={form}>
      <Card title="When">
        <div class="stack">
          <Repeat appId={appId} form={form} />
        </div>
      </Card>
      <Note title="What it says and to whom stays as it is." />
    </Frame>
  )
}

interface FrameProps<R extends Rows> {
  appId: number
  id: number
  form: TableState<R>
  children: ComponentChildren
}

function Frame<R extends Rows>({ appId, id, form, children }: FrameProps<R>) {
  return (
    <Form
      form={form}
      submitLabel="Save the series"
      more={<Button href={href(`/apps/${appId}/series/${id}`)}>Cancel</Button>}
      also={form.call && <AsCommand call={form.call} />}
    >
      {children}
    </Form>
  )
}
