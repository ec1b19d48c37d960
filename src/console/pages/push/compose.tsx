import { type Signal, useSignal } from '@preact/signals'
import { ShieldCheck } from 'lucide'
import { useEffect } from 'preact/hooks'
import { api } from '../../api/client.ts'
import { useTable } from '../../forms/table-form.tsx'
import { Button } from '../../parts/button.tsx'
import { AsCommand } from '../../parts/code.tsx'
import { KEEP_DRAFT } from '../../parts/form.tsx'
import { ORDER, vendorsOf } from '../../parts/platforms.ts'
import { command, piped } from '../../parts/shell-words.ts'
import { Failed, Note, PageHead } from '../../parts/surfaces.tsx'
import { takeHanded } from '../../state/handed.ts'
import type { PageProps } from '../../state/page.ts'
import { href, navigate, query } from '../../state/router.ts'
import { currentApp, may } from '../../state/session.ts'
import { TemplateButtons } from '../push-templates/in-compose.tsx'
import type { Answers } from './answers.ts'
import {
  type Compose,
  draftOf,
  EMPTY,
  PUSH,
  personalPlaces,
  personalProblems,
  pushOf,
  sayingOf,
  targetOf,
} from './draft.ts'
import { GoesTo } from './goes-to.tsx'
import { Review } from './review.tsx'
import { draftName, SentPage, useSending } from './sent.tsx'
import { TestSend } from './test-send.tsx'
import { When } from './when.tsx'
import { Who } from './who.tsx'
import { devices } from './words.ts'
import { Looks, useWriting, Written } from './written.tsx'

/** Writes a push and sends it: whom it is for, what it says, when. */
export default function ComposePush({ appId }: PageProps) {
  const isReviewing = useSignal(false)
  const form: Compose = useTable(PUSH, {
    draft: draftName(appId),
    names: personalPlaces,
    check: personalProblems,
    submit: async () => {
      isReviewing.value = true
      return KEEP_DRAFT
    },
  })
  const problem = useDuplicate(appId, form)
  useChosenSegment(appId, form)
  const writing = useWriting(appId, form)
  const { answers } = writing
  const { sent, begin, send } = useSending(appId, form, answers)
  if (sent.value) return <SentPage appId={appId} form={form} sent={sent} />
  const app = currentApp.value?.name ?? 'App'
  const { estimate } = answers
  return (
    <div class="page wide">
      <PageHead
        title="Compose a push"
        actions={
          may('campaign', appId) && (
            <>
              <TemplateButtons appId={appId} form={form} />
              <Button icon={ShieldCheck} tone="bare" href={href(`/apps/${appId}/push/approvals`)}>
                Approvals
              </Button>
            </>
          )
        }
      />
      <Notices appId={appId} form={form} isWithoutGateway={answers.isWithoutGateway} />
      {problem !== undefined && <Failed error={problem} />}
      <div class="push-compose">
        <div class="stack loose">
          <Who appId={appId} form={form} estimate={estimate} />
          <Written writing={writing} />
          <When appId={appId} form={form} estimate={estimate} />
          <TestSend appId={appId} form={form} />
        </div>
        <div class="push-beside">
          <SendBox form={form} answers={answers} begin={begin} />
          <Looks writing={writing} />
        </div>
      </div>
      <Shown appId={appId} form={form} />
      <Looking appId={appId} form={form} answers={answers} app={app} isReviewing={isReviewing} send={send} />
    </div>
  )
}

/** Notes above the form: no gateway, and a draft that was found. */
function Notices({ appId, form, isWithoutGateway }: { appId: number; form: Compose; isWithoutGateway: boolean }) {
  return (
    <>
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
          Each needs a key from you: {vendorsOf(ORDER)}. Until then you can write and keep a draft.
        </Note>
      )}
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
    </>
  )
}

/** Number of recipients, and the button that leads to the last look. */
function SendBox({ form, answers, begin }: { form: Compose; answers: Answers; begin(): void }) {
  const { estimate, problem, isAsked } = answers
  const recipients = estimate.value.value?.recipients
  const isWhole = pushOf(form.values.value) !== undefined
  return (
    <GoesTo
      count={recipients === undefined ? undefined : devices(recipients)}
      isCounting={estimate.isLoading.value}
      about={isAsked ? 'Somebody else approves it.' : 'You see it once more before it is sent.'}
      action={isAsked ? 'Review and ask' : 'Review and send'}
      isBusy={form.isBusy.value}
      isOff={isWhole && (!recipients || problem !== undefined)}
      review={() => {
        begin()
        void form.submit()
      }}
    />
  )
}

/** The same as a command and as a call, as far as it is written. */
function Shown({ appId, form }: { appId: number; form: Compose }) {
  const draft = form.values.value
  const body = pushOf(draft) ?? { target: targetOf(draft) ?? {}, ...sayingOf(draft) }
  return (
    <AsCommand
      command={piped(body, command`notify --app ${appId}`)}
      call={{ method: 'POST', path: `/admin/v1/apps/${appId}/notifications`, body }}
    />
  )
}

interface LookingProps {
  appId: number
  form: Compose
  answers: Answers
  app: string
  isReviewing: Signal<boolean>
  send(confirm: number | undefined): Promise<void>
}

/** The last look, once somebody asked for it and the recipients are counted. */
function Looking({ appId, form, answers, app, isReviewing, send }: LookingProps) {
  const { estimate, covered, viewer, drawn, isAsked } = answers
  const counted = estimate.value.value
  if (!isReviewing.value || !counted) return null
  return (
    <Review
      appId={appId}
      draft={form.values.value}
      estimate={counted}
      covered={covered}
      viewer={viewer?.name}
      payloads={drawn}
      app={app}
      isAsked={isAsked}
      send={send}
      refuse={(error) => {
        // It has grown since it was counted: the number that was typed holds no more.
        if (error.fields['confirm'] === undefined) return form.fail(error).length > 0
        estimate.reload()
        return false
      }}
      onClose={() => (isReviewing.value = false)}
    />
  )
}

/** Fills the form once with the notification that `?from=7` names. Returns the error when it cannot be read. */
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

/** Fills in the segment that `?segment=` names, or users who were chosen. A draft that was kept stays, but for whom it is meant. */
function useChosenSegment(appId: number, form: Compose): void {
  const uuid = query.value.get('segment')
  useEffect(() => {
    const userIds = takeHanded()
    if (userIds) form.set({ who: 'named', 'target.userIds': userIds.join('\n') })
    if (uuid === null) return
    form.set({ who: 'matching', 'target.segmentUuid': uuid })
    navigate(`/apps/${appId}/push/new`, { replace: true })
  }, [uuid])
}
