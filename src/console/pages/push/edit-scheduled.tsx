import { type Signal, useSignal } from '@preact/signals'
import type { ComponentChildren } from 'preact'
import { dropDraft } from '../../api/drafts.ts'
import type { Loaded } from '../../api/load.ts'
import type { Rows } from '../../forms/table.ts'
import type { TableState } from '../../forms/table-form.tsx'
import { Button } from '../../parts/button.tsx'
import { AsCommand } from '../../parts/code.tsx'
import { Form, KEEP_DRAFT } from '../../parts/form.tsx'
import { toast } from '../../parts/overlays.tsx'
import { Reading } from '../../parts/reading.tsx'
import { piped } from '../../parts/shell-words.ts'
import { Note, PageHead } from '../../parts/surfaces.tsx'
import { href, navigate } from '../../state/router.ts'
import { LastLook } from './review.tsx'
import { type TimeDraft, WHEN } from './time.ts'

/** Parts of the pages that change a scheduled push or in-app message. */

/** Times that a scheduled send can have: it does not become a series, and nobody can take it back once it is sent. */
export const TIMES = WHEN.map((one) =>
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

/** The time of a send as its report tells it. */
interface Timed {
  schedule: { strategy: string; sendAt: string; pastTimes: string } | null
  intelligentDelivery?: boolean
}

/** The stored time as the form shows it. `due`: the moment of one that is due for everybody at once. */
export function timed<D extends TimeDraft>(draft: D, { schedule, intelligentDelivery }: Timed, due?: string | null): D {
  if (intelligentDelivery || schedule?.strategy === 'intelligent') return { ...draft, when: 'intelligent' }
  if (schedule?.strategy === 'local') {
    return { ...draft, when: 'local', local: schedule.sendAt.replace(' ', 'T'), pastTimes: schedule.pastTimes }
  }
  return { ...draft, when: 'at', at: due ?? null }
}

interface PageParts<S> {
  /** The kind of send: "push". */
  what: string
  /** The list that it is in, and its own page. */
  crumbs: [label: string, path: string][]
  stored: Loaded<S>
  /** Address of the form that writes another one like it, where there is one. */
  again?: string
  isWaiting(stored: S): boolean
  children(stored: S): ComponentChildren
}

/** The page around the form; of a send that does not wait any more, why nobody edits it. */
export function EditPage<S>({ what, crumbs, stored, again, isWaiting, children }: PageParts<S>) {
  return (
    <div class="page wide">
      <PageHead
        title={`Edit the scheduled ${what}`}
        about="It is sent as it stands here, once it is due."
        crumbs={crumbs.map(([label, path]) => ({ label, href: href(path) }))}
      />
      <Reading of={stored} lines={8}>
        {(now) =>
          isWaiting(now) ? (
            children(now)
          ) : (
            <Note
              title="It does not wait for its time any more."
              actions={
                again && (
                  <Button size="small" href={href(again)}>
                    Write another one like it
                  </Button>
                )
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

/** Options of the form: its button opens the last look. */
export function useAsking(draft: string) {
  const isAsking = useSignal(false)
  const submit = async () => {
    isAsking.value = true
    return KEEP_DRAFT
  }
  return { isAsking, options: { draft, submit } }
}

interface FrameProps<R extends Rows> {
  what: string
  form: TableState<R>
  isAsking: Signal<boolean>
  draft: string
  /** The keys of the request that change. */
  change: Record<string, unknown>
  /** Keys besides those of the time that change neither what it says nor to whom. */
  besides: readonly string[]
  /** Address of the page of the send. */
  back: string
  command: string
  /** Path of the call below the address of the server. */
  path: string
  save(body: Record<string, unknown>): Promise<unknown>
  estimate: { audience: number; recipients: number; confirmAbove: number | null } | undefined
  /** The number of recipients in words. */
  reach: string
  /** Content beside the form. */
  beside: ComponentChildren
  children: ComponentChildren
}

/** Keys that say when it is sent. */
const TIMING = ['schedule', 'intelligentDelivery', 'ttl', 'labels']
const NOBODY = { audience: 0, recipients: 0, confirmAbove: null }

/** The form, its button, and the last look before it is saved. */
export function EditFrame<R extends Rows>(props: FrameProps<R>) {
  const { what, form, isAsking, draft, change, besides, back, command, path, estimate = NOBODY } = props
  const isMore = Object.keys(change).some((key) => !TIMING.includes(key) && !besides.includes(key))
  const isNow = (form.values.value as { when?: unknown }).when === 'now'
  return (
    <div class="push-compose">
      <Form
        form={form}
        submitLabel="Save the changes"
        more={<Button href={href(back)}>Cancel</Button>}
        isOff={Object.keys(change).length === 0}
        also={<AsCommand command={piped(change, command)} call={{ method: 'PATCH', path, body: change }} />}
      >
        {props.children}
      </Form>
      <div class="push-beside">{props.beside}</div>
      {isAsking.value && (
        <LastLook
          title={isNow ? 'Save the changes and send it now?' : 'Save the changes?'}
          action={isNow ? 'Send it now' : 'Save the changes'}
          estimate={isMore ? estimate : NOBODY}
          send={async (confirm) => {
            await props.save({ ...change, ...(confirm !== undefined && { confirm }) })
            dropDraft(draft)
            toast(`The ${what} is changed.`)
            navigate(back)
          }}
          refuse={(error) => form.fail(error).length > 0}
          onClose={() => (isAsking.value = false)}
        >
          <p>
            It goes to {props.reach}, as of now
            {!isNow
              ? '. Until it is due you can edit it again.'
              : what === 'push'
                ? ', and cannot be taken back.'
                : '. You can still withdraw it, but not its push.'}
          </p>
        </LastLook>
      )}
    </div>
  )
}
