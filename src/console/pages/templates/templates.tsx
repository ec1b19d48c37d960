import { useSignal } from '@preact/signals'
import { LayoutTemplate } from 'lucide'
import { type Answer, api, asked, type Body } from '../../api/client.ts'
import { type Loaded, useGet, useLoad, usePages } from '../../api/load.ts'
import * as row from '../../forms/rows.ts'
import { TableForm, useTable } from '../../forms/table-form.tsx'
import { Button } from '../../parts/button.tsx'
import { Dialog, toast } from '../../parts/overlays.tsx'
import { Reading } from '../../parts/reading.tsx'
import { command } from '../../parts/shell-words.ts'
import { Card, Empty, PageHead } from '../../parts/surfaces.tsx'
import { Time } from '../../parts/values.tsx'
import type { PageProps } from '../../state/page.ts'
import { href, navigate } from '../../state/router.ts'
import { may } from '../../state/session.ts'
import type { Template } from './document.ts'
import { MessageFrame } from './frame.tsx'

type Starter = Answer<'/admin/v1/apps/{appId}/template-starters'>['starters'][number]
/** A name of this server; the answer types it as any text. */
type StarterName = NonNullable<Body<'/admin/v1/apps/{appId}/templates', 'post'>['starter']>
type Line = Answer<'/admin/v1/apps/{appId}/templates'>['templates'][number]

/** Heights of a small phone and of its card, for what stands there until they come. */
const FRAME_PX = 296
const CARD_PX = 400

/** The templates of the app, and the starters to make one of, each as a phone shows it. */
export default function Templates({ appId }: PageProps) {
  const list = usePages('/admin/v1/apps/{appId}/templates', { path: { appId }, query: { limit: 12 } }, 'templates')
  const starters = useGet('/admin/v1/apps/{appId}/template-starters', { path: { appId } })
  const chosen = useSignal<Starter | undefined>(undefined)
  const mayChange = may('campaign', appId)
  const lines = list.value.value
  return (
    <div class="page">
      <PageHead
        title="In-app templates"
        about="How in-app messages look and what their buttons do. A message fills in the words of its template."
      />
      <Card title="Your templates">
        {lines === undefined ? (
          <Reading of={list} lines={4} height={CARD_PX} />
        ) : lines.length === 0 ? (
          <Empty icon={LayoutTemplate} title="No templates yet">
            {mayChange ? 'Begin with one of the starters below.' : 'A marketer of this app can create the first one.'}
          </Empty>
        ) : (
          <div class="stack">
            <ul class="template-cards">
              {lines.map((line) => (
                <TemplateCard key={line.uid} line={line} appId={appId} />
              ))}
            </ul>
            {list.hasMore.value && (
              <Button isBusy={list.isLoading.value} onClick={list.more}>
                Show more
              </Button>
            )}
          </div>
        )}
      </Card>
      {mayChange && <Starters starters={starters} choose={(one) => (chosen.value = one)} />}
      {chosen.value && <Begin appId={appId} starter={chosen.value} onClose={() => (chosen.value = undefined)} />}
    </div>
  )
}

function TemplateCard({ line, appId }: { line: Line; appId: number }) {
  const { uid, name, version, updatedAt } = line
  const whole = useLoad(
    (signal) => api.get('/admin/v1/apps/{appId}/templates/{uid}', { path: { appId, uid }, signal }),
    [appId, uid, version],
  )
  const template: Template | undefined = whole.value.value
  return (
    <li class="template-card">
      {template ? (
        <MessageFrame label={`How ${name} looks`} width={140} {...template} values={template.sample} />
      ) : (
        <Reading of={whole} height={FRAME_PX} />
      )}
      <div class="template-card-text">
        <h3>
          <a class="cell-link" href={href(`/apps/${appId}/templates/${encodeURIComponent(uid)}`)}>
            {name}
          </a>
        </h3>
        <p class="quiet small-text">
          Version {version}, <Time at={updatedAt} />
        </p>
      </div>
    </li>
  )
}

function Starters({ starters, choose }: { starters: Loaded<{ starters: Starter[] }>; choose(starter: Starter): void }) {
  const all = starters.value.value?.starters
  return (
    <Card title="Starters" about="Choose one: it is copied into your app, and you change the copy.">
      {all === undefined ? (
        <Reading of={starters} lines={4} height={2 * CARD_PX} />
      ) : (
        <ul class="template-cards">
          {all.map((one) => (
            <li key={one.starter} class="template-card">
              <MessageFrame label={`How ${one.name} looks`} width={140} {...one} values={one.sample} />
              <div class="template-card-text">
                <h3>{one.name}</h3>
                <p class="quiet small-text">{one.summary.charAt(0).toUpperCase() + one.summary.slice(1)}.</p>
              </div>
              <div class="row">
                <Button size="small" onClick={() => choose(one)}>
                  Use<span class="hidden"> {one.name}</span>
                </Button>
              </div>
            </li>
          ))}
        </ul>
      )}
    </Card>
  )
}

const COPY = row.table<Body<'/admin/v1/apps/{appId}/templates', 'post'>>()(
  row.text('name', 'Name', { hint: 'Your team sees it here.', autoFocus: true, flag: 'name', need: 'Give it a name.' }),
  row.text('uid', 'Identifier', {
    isOptional: true,
    isMono: true,
    flag: 'uid',
    hint: 'What your server calls it, such as spring-sale. It cannot be changed later.',
  }),
)

/** A name, and the copy is there. */
function Begin({ appId, starter, onClose }: { appId: number; starter: Starter; onClose(): void }) {
  const form = useTable(COPY, {
    first: { name: starter.name },
    call: (body) =>
      asked('post', '/admin/v1/apps/{appId}/templates', {
        path: { appId },
        body: { starter: starter.starter as StarterName, ...body },
      }),
    done({ name, uid }) {
      toast(`${name} is there.`)
      navigate(`/apps/${appId}/templates/${encodeURIComponent(uid)}`)
    },
  })
  return (
    <Dialog title={`Begin with ${starter.name}`} onClose={onClose}>
      <TableForm
        form={form}
        submitLabel="Create the template"
        command={command`templates create --app ${appId} --starter ${starter.starter} ${form.flags}`}
      />
    </Dialog>
  )
}
