import { useSignal } from '@preact/signals'
import { useRef } from 'preact/hooks'
import { api } from '../../api/client.ts'
import { dropDraft } from '../../api/drafts.ts'
import { ApiError } from '../../api/errors.ts'
import { newIntent } from '../../api/intent.ts'
import { type Loaded, useLoad } from '../../api/load.ts'
import { Button } from '../../parts/button.tsx'
import { AsCommand } from '../../parts/code.tsx'
import { DateTimeField } from '../../parts/date-field.tsx'
import { NumberField, RadioGroup, SelectField, Switch, TextField } from '../../parts/field.tsx'
import { Form, type FormState, KEEP_DRAFT, useForm } from '../../parts/form.tsx'
import { ConfirmDialog, toast } from '../../parts/overlays.tsx'
import { Card, Failed, Note, PageHead, Skeleton } from '../../parts/surfaces.tsx'
import { formatNumber, More } from '../../parts/values.tsx'
import type { PageProps } from '../../shell/page.ts'
import { href, navigate, query } from '../../shell/router.ts'
import { type Tag, type Template } from '../templates/document.ts'
import { MessageFrame } from '../templates/frame.tsx'
import { Audience } from './audience.tsx'
import { People, useEstimate } from './count.tsx'
import { type Fields, NOTHING, problemsOf, requestOf, sendLabel } from './request.ts'
import { SHOWN_WHEN } from './words.ts'

/** A message: who gets it, which template with which words, when, and for how long. */
export default function Compose({ appId }: PageProps) {
  const intent = useRef(newIntent())
  const draftName = `in-app-${appId}`
  const isReviewing = useSignal(false)
  const form = useForm<Fields & { target: string }>(
    { ...NOTHING, template: query.value.get('template') ?? '', target: '' },
    {
      draft: draftName,
      names: {
        'ttl.expiresIn': 'days',
        ttl: 'days',
        schedule: 'sendAt',
        inbox: 'inboxTitle',
        'inbox.title': 'inboxTitle',
      },
      check: problemsOf,
      submit: async (values) => {
        const counted = estimate.value.peek()
        const limit = counted?.confirmAbove ?? null
        if (limit === null || counted!.audience <= limit) return send(values)
        isReviewing.value = true
        return KEEP_DRAFT
      },
    },
  )
  const values = form.values.value
  const estimate = useEstimate(appId, values)
  /** `confirm`: the number of people that somebody has seen and typed. */
  const send = async (now: Fields, confirm?: number) => {
    const body = { ...requestOf(now), ...(confirm !== undefined && { confirm }) }
    const path = { appId }
    const { message } = await api
      .post('/admin/v1/apps/{appId}/in-app-messages', { path, body, idempotencyKey: intent.current })
      .catch((error: unknown) => {
        // Without an answer the server may have it: the same once more sends nothing twice.
        if (error instanceof ApiError && error.status >= 400 && error.status < 500) intent.current = newIntent()
        throw plainer(error)
      })
    dropDraft(draftName)
    toast('The message is on its way.')
    navigate(`/apps/${appId}/in-app/${message.id}`)
  }
  const uid = values.template
  const template = useLoad(
    uid === '' ? null : (signal) => api.get('/admin/v1/apps/{appId}/templates/{uid}', { path: { appId, uid }, signal }),
    [appId, uid],
  )
  const whole = template.value.value
  const counted = estimate.value.value
  return (
    <div class="page wide">
      <PageHead
        title="Compose an in-app message"
        crumbs={[{ label: 'In-app messages', href: href(`/apps/${appId}/in-app`) }]}
      />
      <div class="editor two">
        <Form
          form={form}
          submitLabel={sendLabel(values)}
          also={
            <AsCommand
              call={{ method: 'POST', path: `/admin/v1/apps/${appId}/in-app-messages`, body: requestOf(values) }}
            />
          }
        >
          <Card title="Who">
            <div class="form">
              <Audience appId={appId} values={values} set={form.set} error={form.field('target').error} />
              <People estimate={estimate} />
            </div>
          </Card>
          <Card title="What">
            <div class="form">
              <TemplateField appId={appId} form={form} />
              {uid !== '' && <TagValues template={template} form={form} />}
              <More label="Entry in the inbox of the app" isOpen={values.inboxTitle !== ''}>
                <div class="form">
                  <TextField {...form.field('inboxTitle')} label="Title in the inbox" isOptional />
                  <TextField {...form.field('inboxSubtitle')} label="Line below it" isOptional />
                </div>
              </More>
            </div>
          </Card>
          <Card title="When">
            <div class="form">
              <DateTimeField
                {...form.field('sendAt')}
                label="From"
                isOptional
                hint="Empty means now. The time is that of your zone."
              />
              <RadioGroup
                {...form.field('presentedWhen')}
                onChange={(when) => when !== '' && form.set({ presentedWhen: when })}
                label="It is shown"
                options={Object.entries(SHOWN_WHEN).map(([value, label]) => ({
                  value: value as Fields['presentedWhen'],
                  label,
                }))}
              />
              {values.presentedWhen !== 'never' && (
                <NumberField
                  {...form.field('days')}
                  label="It stays for"
                  unit="days"
                  min={1}
                  max={365}
                  hint="Counted from when a person gets it."
                />
              )}
              <Switch
                {...form.field('isTransactional')}
                label="About something that people did themselves"
                hint="Such as an order. It ignores what people said about purposes."
              />
            </div>
          </Card>
        </Form>
        <aside class="editor-preview" aria-label="Preview">
          {whole ? (
            <MessageFrame
              label={`How the message looks with ${whole.name}`}
              content={whole.content}
              tags={whole.tags}
              values={{ ...whole.sample, ...written(values.values) }}
            />
          ) : (
            <div class="message-phone waiting">
              <p>Choose a template to see the message.</p>
            </div>
          )}
        </aside>
      </div>
      {isReviewing.value && counted && (
        <ConfirmDialog
          title={`${sendLabel(values)}?`}
          action={sendLabel(values)}
          tone="primary"
          typed={String(counted.recipients)}
          run={async () => {
            try {
              await send(form.values.peek(), counted.audience)
            } catch (error) {
              const isGrown = error instanceof ApiError && error.fields['confirm'] !== undefined
              if (isGrown) estimate.reload()
              else if (error instanceof ApiError && form.fail(error).length > 0) return
              throw isGrown
                ? new Error('More people are meant by now. They were counted again: look at the number.')
                : error
            }
          }}
          onClose={() => (isReviewing.value = false)}
        >
          <p>
            {formatNumber(counted.recipients)} {counted.recipients === 1 ? 'person gets' : 'people get'} it. That is
            more than this app lets go out without a second look.
          </p>
        </ConfirmDialog>
      )}
    </div>
  )
}

const written = (values: Readonly<Record<string, string>>) =>
  Object.fromEntries(Object.entries(values).filter(([, value]) => value !== ''))

type ComposeForm = FormState<Fields & { target: string }>

function TemplateField({ appId, form }: { appId: number; form: ComposeForm }) {
  const path = { appId }
  const limit = { limit: 100 }
  const list = useLoad((signal) => api.get('/admin/v1/apps/{appId}/templates', { path, query: limit, signal }), [appId])
  if (list.error.value !== undefined) return <Failed error={list.error.value} retry={list.reload} />
  const all = list.value.value?.templates
  if (!all) return <Skeleton lines={1} />
  if (all.length === 0) {
    return (
      <Note
        title="This app has no template yet."
        actions={
          <Button size="small" href={href(`/apps/${appId}/templates`)}>
            Make a template
          </Button>
        }
      />
    )
  }
  return (
    <SelectField
      {...form.field('template')}
      label="Template"
      options={[
        { value: '', label: 'Choose a template' },
        ...all.map(({ uid, name }) => ({ value: uid, label: name })),
      ]}
    />
  )
}

function TagValues({ template, form }: { template: Loaded<Template>; form: ComposeForm }) {
  if (template.error.value !== undefined) return <Failed error={template.error.value} retry={template.reload} />
  const whole = template.value.value
  if (!whole) return <Skeleton lines={3} />
  const { values } = form.values.value
  const isNeeded = ({ required, default: usual }: Tag) => required && usual === undefined
  const field = ({ title, type, default: usual }: Tag) => (
    <TextField
      key={title}
      label={title}
      value={values[title] ?? ''}
      onChange={(value) => form.set({ values: { ...values, [title]: value } })}
      isMono={type !== 'text'}
      {...(usual !== undefined && { placeholder: String(usual).slice(0, 80) })}
    />
  )
  const [needed, others] = [whole.tags.filter(isNeeded), whole.tags.filter((tag) => !isNeeded(tag))]
  return (
    <>
      {needed.map(field)}
      {form.field('values').error !== undefined && <Note tone="bad" title={form.field('values').error} />}
      {others.length > 0 && (
        <More label={`${others.length} more with a default`}>
          <div class="form">{others.map(field)}</div>
        </More>
      )}
    </>
  )
}

/** Errors about the values of tags name the tag, and stand beside them. */
function plainer(error: unknown): unknown {
  if (!(error instanceof ApiError)) return error
  const entries = Object.entries(error.fields)
  const tags = entries.filter(([path]) => path.startsWith('content'))
  if (tags.length === 0) return error
  const values = tags.map(([path, text]) => `${path.slice('content.'.length)} ${text}.`).join(' ')
  const rest = entries.filter(([path]) => !path.startsWith('content'))
  return new ApiError(error.status, error.message, error.code, { ...Object.fromEntries(rest), values })
}
