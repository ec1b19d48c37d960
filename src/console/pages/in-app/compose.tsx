import { type Signal, useSignal } from '@preact/signals'
import { Fields } from '../../forms/fields.tsx'
import { useTable } from '../../forms/table-form.tsx'
import { Button } from '../../parts/button.tsx'
import { AsCommand } from '../../parts/code.tsx'
import { KEEP_DRAFT } from '../../parts/form.tsx'
import { command, piped } from '../../parts/shell-words.ts'
import { Note, PageHead } from '../../parts/surfaces.tsx'
import type { PageProps } from '../../state/page.ts'
import { href, query } from '../../state/router.ts'
import { GoesTo } from '../push/goes-to.tsx'
import { Timing } from '../push/when.tsx'
import { type ComposeForm, EMPTY, isComplete, MESSAGE, SHOWN, soFar } from './draft.ts'
import { Looks } from './looks.tsx'
import { Review } from './review.tsx'
import { draftName, SentPage, useSending } from './sent.tsx'
import { TestSend } from './test-send.tsx'
import { Who } from './who.tsx'
import { people } from './words.ts'
import { useTagOptions, useWriting, type Writing, Written } from './written.tsx'

/** Writes an in-app message and sends it: whom it is for, what it says, when. */
export default function Compose({ appId }: PageProps) {
  const isReviewing = useSignal(false)
  const { tags, options } = useTagOptions()
  const form: ComposeForm = useTable(MESSAGE, {
    ...options,
    first: { ...EMPTY, template: query.value.get('template') ?? '' },
    draft: draftName(appId),
    submit: async () => {
      isReviewing.value = true
      return KEEP_DRAFT
    },
  })
  const writing = useWriting(appId, form, tags)
  const { answers, template } = writing
  const { sent, send } = useSending(appId, form, answers)
  if (sent.value)
    return <SentPage appId={appId} form={form} sent={sent} about={template.value.value?.name ?? 'In-app message'} />
  const { estimate, problem } = answers
  const counted = estimate.value.value
  const isWhole = isComplete(tags.current, form.values.value)
  return (
    <div class="page wide">
      <PageHead
        title="Compose an in-app message"
        crumbs={[{ label: 'In-app messages', href: href(`/apps/${appId}/in-app`) }]}
      />
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
          <Written writing={writing} />
          <Timing appId={appId} form={form}>
            <Fields form={form} rows={SHOWN} />
          </Timing>
          <TestSend writing={writing} />
        </div>
        <div class="push-beside">
          <GoesTo
            count={counted && people(counted.recipients)}
            isCounting={estimate.isLoading.value}
            about="You see it once more before it is sent."
            action="Review and send"
            isBusy={form.isBusy.value}
            isOff={isWhole && (!counted?.recipients || problem !== undefined)}
            review={() => void form.submit()}
          />
          <Looks writing={writing} />
        </div>
      </div>
      <Shown appId={appId} form={form} />
      <Looking writing={writing} isReviewing={isReviewing} send={send} />
    </div>
  )
}

interface LookingProps {
  writing: Writing
  isReviewing: Signal<boolean>
  send(confirm: number | undefined): Promise<void>
}

/** The last look, once somebody asked for it and the recipients are counted. */
function Looking({ writing, isReviewing, send }: LookingProps) {
  const { form, answers } = writing
  const { estimate } = answers
  const counted = estimate.value.value
  if (!isReviewing.value || !counted) return null
  return (
    <Review
      writing={writing}
      estimate={counted}
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

/** The same as a command and as a call, as far as it is written. */
function Shown({ appId, form }: { appId: number; form: ComposeForm }) {
  const body = soFar(form.values.value)
  return (
    <AsCommand
      command={piped(body, command`notify --app ${appId} --in-app`)}
      call={{ method: 'POST', path: `/admin/v1/apps/${appId}/in-app-messages`, body }}
    />
  )
}
