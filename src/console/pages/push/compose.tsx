import { useSignal } from '@preact/signals'
import { Send, ShieldCheck } from 'lucide'
import { useEffect, useRef } from 'preact/hooks'
import { api } from '../../api/client.ts'
import { dropDraft } from '../../api/drafts.ts'
import { ApiError, messageOf } from '../../api/errors.ts'
import { newIntent } from '../../api/intent.ts'
import { type Loaded, useLoad } from '../../api/load.ts'
import { Button } from '../../parts/button.tsx'
import { AsCommand } from '../../parts/code.tsx'
import { UndoCountdown } from '../../parts/countdown.tsx'
import { KEEP_DRAFT, useForm } from '../../parts/form.tsx'
import { toast } from '../../parts/overlays.tsx'
import { shellWord } from '../../parts/shell-words.ts'
import { Card, Failed, Note, PageHead } from '../../parts/surfaces.tsx'
import { usePaused } from '../../parts/use-paused.ts'
import type { PageProps } from '../../shell/page.ts'
import { href, navigate, query } from '../../shell/router.ts'
import { currentApp, may } from '../../shell/session.ts'
import type { Compose } from './compose-form.ts'
import { draftOf, EMPTY, missing, namesFor, pushOf, rulesOf, sayingOf, targetOf, timeOf } from './draft.ts'
import { Preview } from './preview.tsx'
import { Review } from './review.tsx'
import { type Payload, PLATFORMS } from './shown.ts'
import { TestSend } from './test-send.tsx'
import { What } from './what.tsx'
import { When } from './when.tsx'
import { Who } from './who.tsx'
import { devices, wrongOf } from './words.ts'

const UNDO_SECONDS = 10
/** A pause in typing after which the server is asked. */
const PAUSE_MS = 350

/** A push that was just sent and can still be called off. */
interface Sent {
  id: number
  label: string
}

/** Writes a push and sends it: whom it is for, what it says, when. */
export default function ComposePush({ appId }: PageProps) {
  const sent = useSignal<Sent | undefined>(undefined)
  const isReviewing = useSignal(false)
  const path = { appId }
  const draftName = `push-${appId}`
  const intent = useRef('')
  const form: Compose = useForm(EMPTY, {
    draft: draftName,
    names: namesFor,
    check: missing,
    submit: async () => {
      isReviewing.value = true
      return KEEP_DRAFT
    },
  })
  const problem = useDuplicate(appId, form)
  const draft = form.values.value
  const target = targetOf(draft)
  const time = timeOf(draft)
  const asked = usePaused(target && time ? JSON.stringify({ target, ...time, ...rulesOf(draft) }) : '', PAUSE_MS)
  const estimate = useLoad(
    asked === ''
      ? null
      : (signal) =>
          api.post('/admin/v1/apps/{appId}/notifications/estimate', { path, body: JSON.parse(asked) as never, signal }),
    [appId, asked],
  )
  const isWritten =
    draft.runBackgroundHandler || (draft['content.title'].trim() !== '' && draft['content.message'].trim() !== '')
  const said = usePaused(isWritten ? JSON.stringify(sayingOf(draft)) : '', PAUSE_MS)
  const payloads = useLoad(
    said === ''
      ? null
      : (signal) =>
          api.post('/admin/v1/apps/{appId}/notifications/payloads', { path, body: JSON.parse(said) as never, signal }),
    [appId, said],
  )
  useMarks(form, estimate)
  useMarks(form, payloads)
  // What was drawn stays while the next answer comes.
  const drawn = useRef<readonly Payload[]>([])
  if (payloads.value.value) drawn.current = payloads.value.value.items
  else if (said === '') drawn.current = []
  const gateways = useLoad(
    (signal) => api.post('/admin/v1/apps/{appId}/notifications/payloads', { path, body: PROBE, signal }),
    [appId],
  )
  const second = useLoad((signal) => api.get('/admin/v1/apps/{appId}/second-person', { path, signal }), [appId])
  const isAsked = second.value.value?.required ?? false
  const app = currentApp.value?.name ?? 'App'
  const isWithoutGateway = gateways.value.value?.items.every(({ configured }) => !configured) ?? false

  const send = async (confirm: number | undefined) => {
    const push = { ...pushOf(form.values.peek())!, ...(confirm !== undefined && { confirm }) }
    if (isAsked) {
      await api.post('/admin/v1/apps/{appId}/approvals', { path, body: push })
      form.reset(EMPTY)
      toast('Somebody else can approve it now.')
      navigate(`/apps/${appId}/push/approvals`)
      return
    }
    const { notification } = await api.post('/admin/v1/apps/{appId}/notifications', {
      path,
      query: { undoSeconds: UNDO_SECONDS },
      body: push,
      idempotencyKey: intent.current,
    })
    // From now on the server has it: who comes back to this page shall not send it twice.
    dropDraft(draftName)
    sent.value = { id: notification.id, label: `Sending to ${devices(estimate.value.peek()?.recipients ?? 0)}` }
    scrollTo(0, 0)
  }
  const undo = async ({ id }: Sent) => {
    try {
      await api.delete('/admin/v1/apps/{appId}/scheduled-notifications/{id}', { path: { appId, id } })
      toast('Nothing was sent. What you wrote is still here.')
      form.set({})
      sent.value = undefined
    } catch (error) {
      toast(messageOf(error))
      navigate(`/apps/${appId}/delivery/${id}`)
    }
  }

  if (sent.value) {
    const now = sent.value
    return (
      <div class="page narrow">
        <PageHead title={draft.when === 'now' ? 'On its way' : 'Planned'} about={draft['content.title']} />
        <Card>
          <div class="stack">
            <UndoCountdown
              label={now.label}
              seconds={UNDO_SECONDS}
              onUndo={() => void undo(now)}
              onDone={() => {
                form.reset(EMPTY)
                navigate(`/apps/${appId}/delivery/${now.id}`, { replace: true })
              }}
            />
            <p class="quiet">
              {draft.when === 'now'
                ? 'Nothing has left the server yet. If you close this page, it is sent all the same.'
                : 'It is planned, whether this page stays open or not. Until it is due you can also call it off in its report.'}
            </p>
          </div>
        </Card>
      </div>
    )
  }

  const review = () => {
    intent.current = newIntent()
    void form.submit()
  }
  const tooLong = tooLongFor(drawn.current)
  const push = pushOf(draft)
  const counted = estimate.value.value
  const recipients = counted?.recipients
  const file = JSON.stringify(push ?? { target: target ?? {}, ...sayingOf(draft) })
  return (
    <div class="page wide">
      <PageHead
        title="Compose a push"
        actions={
          may('campaign', appId) && (
            <Button icon={ShieldCheck} tone="bare" href={href(`/apps/${appId}/push/approvals`)}>
              Approvals
            </Button>
          )
        }
      />
      {isWithoutGateway && (
        <Note
          tone="warn"
          title="This app has no gateway, so nobody can get a push yet."
          actions={
            <Button size="small" href={href(`/apps/${appId}/gateways`)}>
              Set up a gateway
            </Button>
          }
        >
          Apple, Google, Huawei and browsers each need a key from you. Until then you can write and keep a draft.
        </Note>
      )}
      {problem !== undefined && <Failed error={problem} />}
      {form.hasDraft.value && (
        <Note
          title="This is what you wrote last time."
          actions={
            <Button size="small" onClick={() => form.reset(EMPTY)}>
              Start afresh
            </Button>
          }
        />
      )}
      <div class="push-compose">
        <div class="stack loose">
          <Who appId={appId} form={form} estimate={estimate} />
          <What appId={appId} form={form} />
          <When form={form} estimate={estimate} />
          <TestSend appId={appId} form={form} />
        </div>
        <div class="push-beside">
          <div class="push-send">
            <div class="row spread">
              <div>
                <strong id="push-goes">
                  {recipients === undefined ? 'Nobody is chosen yet' : `Goes to ${devices(recipients)}`}
                </strong>
                <p class="quiet small-text">
                  {isAsked ? 'Somebody else approves it.' : 'You see it once more before it is sent.'}
                </p>
              </div>
              <Button
                tone="primary"
                icon={Send}
                isBusy={form.isBusy.value}
                isOff={
                  push !== undefined && (!recipients || tooLong !== undefined || payloads.error.value !== undefined)
                }
                describedBy="push-goes"
                onClick={review}
              >
                {isAsked ? 'Review and ask' : 'Review and send'}
              </Button>
            </div>
          </div>
          <Preview
            payloads={drawn.current}
            app={app}
            problem={tooLong ?? (payloads.error.value === undefined ? undefined : wrongOf(payloads.error.value))}
          />
        </div>
      </div>
      <AsCommand
        command={`printf '%s' ${shellWord(file)} | appsvc notify --app ${appId}`}
        call={{
          method: 'POST',
          path: `/admin/v1/apps/${appId}/notifications`,
          body: JSON.parse(file) as unknown,
        }}
      />
      {isReviewing.value && counted && (
        <Review
          draft={draft}
          estimate={counted}
          payloads={drawn.current}
          app={app}
          isAsked={isAsked}
          send={send}
          refuse={(error) => {
            // It has grown since it was counted: the number that was typed holds no more.
            if (error.fields['confirm'] !== undefined) estimate.reload()
            else return form.fail(error).length > 0
            return false
          }}
          onClose={() => (isReviewing.value = false)}
        />
      )}
    </div>
  )
}

/** What is asked to learn which gateways the app has. */
const PROBE = { content: { title: '-', message: '-' } }

/** For which gateways it is too long: those that the app has, or without any those that it will most likely have. */
function tooLongFor(payloads: readonly Payload[]): string | undefined {
  const isAny = payloads.some(({ configured }) => configured)
  const long = payloads.filter(({ platform, configured, request }) => {
    const counts = isAny ? configured : platform === 'ios' || platform === 'android'
    return counts && request.bytes > request.limit
  })
  if (long.length === 0) return undefined
  return `Too long for ${long.map(({ platform }) => PLATFORMS[platform].name).join(' and ')}: shorten the message or the data.`
}

/** Marks the fields that an estimate or the payloads complain of, while people write. */
function useMarks(form: Compose, asked: Loaded<unknown>): void {
  const marked = useRef<string[]>([])
  const [error, value] = [asked.error.value, asked.value.value]
  useEffect(() => {
    form.forgive(marked.current)
    marked.current = error instanceof ApiError && error.status === 422 ? form.fail(error, { isQuiet: true }) : []
  }, [error, value])
}

/** `?from=7` fills the form with notification 7, once. What could not be read is returned. */
function useDuplicate(appId: number, form: Compose): unknown {
  const problem = useSignal<unknown>(undefined)
  const from = query.value.get('from')
  useEffect(() => {
    if (from === null) return
    const controller = new AbortController()
    const path = { appId, id: from }
    api.get('/admin/v1/apps/{appId}/notifications/{id}/request', { path, signal: controller.signal }).then(
      (request) => {
        form.reset(draftOf(request))
        // Kept from the first moment, and not filled in again when the page is loaded again.
        form.set({})
        navigate(`/apps/${appId}/push/new`, { replace: true })
      },
      (error: unknown) => {
        if (!controller.signal.aborted) problem.value = error
      },
    )
    return () => controller.abort()
  }, [from])
  return problem.value
}
