import { type Signal, useSignal } from '@preact/signals'
import { useRef } from 'preact/hooks'
import { api } from '../../api/client.ts'
import { dropDraft } from '../../api/drafts.ts'
import { ApiError } from '../../api/errors.ts'
import { newIntent } from '../../api/intent.ts'
import { type Loaded, useGet } from '../../api/load.ts'
import { Fields as Rows } from '../../forms/fields.tsx'
import { valuesOf } from '../../forms/table.ts'
import { useTable } from '../../forms/table-form.tsx'
import { Button } from '../../parts/button.tsx'
import { AsCommand } from '../../parts/code.tsx'
import { TextField } from '../../parts/field.tsx'
import { Form, KEEP_DRAFT } from '../../parts/form.tsx'
import { ConfirmDialog, toast } from '../../parts/overlays.tsx'
import { Reading } from '../../parts/reading.tsx'
import { Card, Note, PageHead } from '../../parts/surfaces.tsx'
import { formatNumber, More } from '../../parts/values.tsx'
import type { PageProps } from '../../state/page.ts'
import { href, navigate, query } from '../../state/router.ts'
import type { Tag, Template } from '../templates/document.ts'
import { MessageFrame } from '../templates/frame.tsx'
import { Audience } from './audience.tsx'
import { type Estimate, People, useEstimate } from './count.tsx'
import { type ComposeForm, type Fields, INBOX, MESSAGE, requestOf, sendLabel, WHAT, WHEN } from './request.ts'

/** A message: who gets it, which template with which words, when, and for how long. */
export default function Compose({ appId }: PageProps) {
  const isReviewing = useSignal(false)
  const draft = `in-app-${appId}`
  const form: ComposeForm = useTable(MESSAGE, {
    first: { ...valuesOf(MESSAGE), template: query.value.get('template') ?? '' },
    draft,
    submit: async (values) => {
      const counted = estimate.value.peek()
      const limit = counted?.confirmAbove ?? null
      if (limit === null || counted!.audience <= limit) return send(values)
      isReviewing.value = true
      return KEEP_DRAFT
    },
  })
  const send = useSend(appId, draft)
  const values = form.values.value
  const estimate = useEstimate(appId, values)
  const uid = values.template
  const template = useGet('/admin/v1/apps/{appId}/templates/{uid}', uid === '' ? null : { path: { appId, uid } })
  const call = { method: 'POST', path: `/admin/v1/apps/${appId}/in-app-messages`, body: requestOf(values) } as const
  return (
    <div class="page wide">
      <PageHead
        title="Compose an in-app message"
        crumbs={[{ label: 'In-app messages', href: href(`/apps/${appId}/in-app`) }]}
      />
      <div class="editor two">
        <Form form={form} submitLabel={sendLabel(values)} also={<AsCommand call={call} />}>
          <Card title="Who">
            <div class="form">
              <Audience appId={appId} form={form} />
              <People estimate={estimate} />
            </div>
          </Card>
          <Card title="What">
            <div class="form">
              <TemplateField appId={appId} form={form} />
              {uid !== '' && <TagValues template={template} form={form} />}
              <Rows form={form} rows={INBOX} />
            </div>
          </Card>
          <Card title="When">
            <div class="form">
              <Rows form={form} rows={WHEN} />
            </div>
          </Card>
        </Form>
        <Preview template={template.value.value} values={values.values} />
      </div>
      <LastLook form={form} estimate={estimate} isReviewing={isReviewing} send={send} />
    </div>
  )
}

/** Sends a message; `confirm`: the number of people that somebody has seen and typed. */
function useSend(appId: number, draft: string) {
  const intent = useRef(newIntent())
  return async (fields: Fields, confirm?: number) => {
    const body = { ...requestOf(fields), ...(confirm !== undefined && { confirm }) }
    const path = { appId }
    const { message } = await api
      .post('/admin/v1/apps/{appId}/in-app-messages', { path, body, idempotencyKey: intent.current })
      .catch((error: unknown) => {
        // Without an answer the server may have it: the same once more sends nothing twice.
        if (error instanceof ApiError && error.status >= 400 && error.status < 500) intent.current = newIntent()
        throw plainer(error)
      })
    dropDraft(draft)
    toast('The message is on its way.')
    navigate(`/apps/${appId}/in-app/${message.id}`)
  }
}

function Preview({ template, values }: { template: Template | undefined; values: Fields['values'] }) {
  const written = Object.fromEntries(Object.entries(values).filter(([, value]) => value !== ''))
  return (
    <aside class="editor-preview" aria-label="Preview">
      {template ? (
        <MessageFrame
          label={`How the message looks with ${template.name}`}
          content={template.content}
          tags={template.tags}
          values={{ ...template.sample, ...written }}
        />
      ) : (
        <div class="message-phone waiting">
          <p>Choose a template to see the message.</p>
        </div>
      )}
    </aside>
  )
}

interface LookProps {
  form: ComposeForm
  estimate: Loaded<Estimate>
  isReviewing: Signal<boolean>
  send(fields: Fields, confirm?: number): Promise<void>
}

/** Asks for the number of people above the size that the app sets. */
function LastLook({ form, estimate, isReviewing, send }: LookProps) {
  const counted = estimate.value.value
  if (!isReviewing.value || !counted) return null
  const { recipients, audience } = counted
  const label = sendLabel(form.values.value)
  return (
    <ConfirmDialog
      title={`${label}?`}
      action={label}
      tone="primary"
      typed={String(recipients)}
      run={async () => {
        try {
          await send(form.values.peek(), audience)
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
        {formatNumber(recipients)} {recipients === 1 ? 'person gets' : 'people get'} it. That is more than this app lets
        go out without a second look.
      </p>
    </ConfirmDialog>
  )
}

function TemplateField({ appId, form }: { appId: number; form: ComposeForm }) {
  const path = { appId }
  const limit = { limit: 100 }
  const list = useGet('/admin/v1/apps/{appId}/templates', { path, query: limit })
  return (
    <Reading of={list} lines={1}>
      {({ templates }) =>
        templates.length === 0 ? (
          <Note
            title="This app has no template yet."
            actions={
              <Button size="small" href={href(`/apps/${appId}/templates`)}>
                Create a template
              </Button>
            }
          />
        ) : (
          <Rows
            form={form}
            rows={WHAT}
            extras={{
              template: {
                options: [
                  { value: '', label: 'Choose a template' },
                  ...templates.map(({ uid, name }) => ({ value: uid, label: name })),
                ],
              },
            }}
          />
        )
      }
    </Reading>
  )
}

function TagValues({ template, form }: { template: Loaded<Template>; form: ComposeForm }) {
  const { value: values, error, onChange } = form.field('values')
  const isNeeded = ({ required, default: usual }: Tag) => required && usual === undefined
  const field = ({ title, type, default: usual }: Tag) => (
    <TextField
      key={title}
      label={title}
      value={values[title] ?? ''}
      onChange={(value) => onChange({ ...values, [title]: value })}
      isMono={type !== 'text'}
      {...(usual !== undefined && { placeholder: String(usual).slice(0, 80) })}
    />
  )
  return (
    <Reading of={template}>
      {({ tags }) => {
        const others = tags.filter((tag) => !isNeeded(tag))
        return (
          <>
            {tags.filter(isNeeded).map(field)}
            {error !== undefined && <Note tone="bad" title={error} />}
            {others.length > 0 && (
              <More label={`${others.length} more with a default`}>
                <div class="form">{others.map(field)}</div>
              </More>
            )}
          </>
        )
      }}
    </Reading>
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
