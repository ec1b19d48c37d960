import { useSignal } from '@preact/signals'
import { api, asked } from '../../api/client.ts'
import { useGet } from '../../api/load.ts'
import { Fields } from '../../forms/fields.tsx'
import { type Bound, problemsOf } from '../../forms/table.ts'
import { useTable } from '../../forms/table-form.tsx'
import { Button } from '../../parts/button.tsx'
import { AsCommand } from '../../parts/code.tsx'
import { Form } from '../../parts/form.tsx'
import { toast } from '../../parts/overlays.tsx'
import { Reading } from '../../parts/reading.tsx'
import { command, piped } from '../../parts/shell-words.ts'
import { Card, PageHead } from '../../parts/surfaces.tsx'
import type { PageProps } from '../../state/page.ts'
import { href, navigate } from '../../state/router.ts'
import { type Compose, EMPTY, PUSH, personalPlaces, personalProblems } from '../push/draft.ts'
import { errorAt } from '../push/personal/rows.ts'
import { Looks, useWriting, Written } from '../push/written.tsx'
import {
  contentOf,
  draftOfTemplate,
  NAMES,
  type PushTemplate,
  partsOf,
  RENAME,
  replacing,
  TEMPLATE,
  TEMPLATES,
} from './content.ts'

const CRUMB = (appId: number) => ({ label: 'Push templates', href: href(`/apps/${appId}/push-templates`) })

/** Writes a push template: a new one, or a new version of one. */
export default function EditPushTemplate({ appId, params }: PageProps) {
  const uid = params['pushTemplateUid']
  return uid === undefined ? <New appId={appId} /> : <Stored appId={appId} uid={uid} />
}

function New({ appId }: { appId: number }) {
  return (
    <div class="page wide">
      <PageHead title="New push template" crumbs={[CRUMB(appId)]} />
      <Editor appId={appId} />
    </div>
  )
}

function Stored({ appId, uid }: { appId: number; uid: string }) {
  const template = useGet(TEMPLATE, { path: { appId, uid } })
  return (
    <div class="page wide">
      <PageHead
        title={`Edit ${template.value.value?.name ?? 'the push template'}`}
        about="What was sent or is scheduled keeps its content."
        crumbs={[CRUMB(appId)]}
      />
      <Reading of={template} lines={10}>
        {(now) => <Editor appId={appId} of={now} />}
      </Reading>
    </div>
  )
}

/** Address of a push template. */
const pageOf = (appId: number, uid: string) => `/apps/${appId}/push-templates/${encodeURIComponent(uid)}`

/** The form: its names, and what it says as a push does. */
function Editor({ appId, of }: { appId: number; of?: PushTemplate }) {
  const rows = of ? RENAME : NAMES
  const names = useSignal({ name: of?.name ?? '', uid: of?.uid ?? '' })
  const path = { appId }
  const form: Compose = useTable(PUSH, {
    draft: `push-template-${appId}-${of?.uid ?? 'new'}`,
    first: of ? draftOfTemplate(of) : { ...EMPTY, who: 'everybody' },
    ...(of && {
      edits: {
        before: partsOf(of),
        read: async () => partsOf(await api.get(TEMPLATE, { path: { appId, uid: of.uid } })),
      },
    }),
    names: (values) => ({ ...personalPlaces(values), name: 'name', uid: 'uid' }),
    check: (values) => ({ ...personalProblems(values), ...problemsOf(rows, names.peek()) }),
    call(_, values) {
      const { name, uid } = names.value
      const content = contentOf(values)
      if (of) return asked('put', TEMPLATE, { path: { appId, uid: of.uid }, body: { name, ...replacing(content) } })
      return asked('post', TEMPLATES, { path, body: { name, ...(uid !== '' && { uid }), ...content } })
    },
    done: (saved: PushTemplate) => {
      toast(`${saved.name} is saved as version ${saved.version}.`)
      navigate(pageOf(appId, saved.uid))
    },
  })
  const writing = useWriting(appId, form)
  const bound: Bound<typeof names.value> = {
    values: names,
    field: (name) => ({
      name,
      value: names.value[name],
      error: errorAt(form, name),
      onChange(value) {
        names.value = { ...names.peek(), [name]: value }
        form.forgive([name])
      },
    }),
  }
  return (
    <div class="push-compose">
      <Form
        form={form}
        submitLabel="Save the push template"
        more={<Button href={href(of ? pageOf(appId, of.uid) : `/apps/${appId}/push-templates`)}>Cancel</Button>}
        also={
          form.call && (
            <AsCommand
              call={form.call}
              command={piped(
                form.call.body,
                of
                  ? command`push-templates update --app ${appId} ${of.uid} --file -`
                  : command`push-templates create --app ${appId} --file -`,
              )}
            />
          )
        }
      >
        <Card title="Name">
          <div class="stack">
            <Fields form={bound} rows={rows} />
          </div>
        </Card>
        <Written writing={writing} isOnlySaying />
      </Form>
      <div class="push-beside">
        <Looks writing={writing} />
      </div>
    </div>
  )
}
