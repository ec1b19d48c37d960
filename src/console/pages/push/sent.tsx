import { type Signal, useSignal } from '@preact/signals'
import { useRef } from 'preact/hooks'
import { api } from '../../api/client.ts'
import { dropDraft } from '../../api/drafts.ts'
import { messageOf } from '../../api/errors.ts'
import { newIntent } from '../../api/intent.ts'
import { UndoCountdown } from '../../parts/countdown.tsx'
import { toast } from '../../parts/overlays.tsx'
import { Card, PageHead } from '../../parts/surfaces.tsx'
import { navigate } from '../../state/router.ts'
import type { Answers } from './answers.ts'
import { type Compose, EMPTY, pushOf } from './draft.ts'
import { readable } from './personal/template.ts'
import { devices } from './words.ts'

export const UNDO_SECONDS = 10

export const draftName = (appId: number): string => `push-${appId}`

/** Something that was just sent and can still be called off. */
export interface Sent {
  id: number
  label: string
}

interface Sending {
  sent: Signal<Sent | undefined>
  /** Begins another push. */
  begin(): void
  /** Sends it, or asks somebody else to approve it; `confirm`: the number of people that was typed. */
  send(confirm: number | undefined): Promise<void>
}

/** Sends what is written. */
export function useSending(appId: number, form: Compose, { estimate, isAsked }: Answers): Sending {
  const sent = useSignal<Sent | undefined>(undefined)
  const intent = useRef('')
  const path = { appId }
  return {
    sent,
    begin: () => (intent.current = newIntent()),
    async send(confirm) {
      const body = { ...pushOf(form.values.peek())!, ...(confirm !== undefined && { confirm }) }
      if (isAsked) {
        await api.post('/admin/v1/apps/{appId}/approvals', { path, body })
        form.reset(EMPTY)
        toast('Somebody else can approve it now.')
        return navigate(`/apps/${appId}/push/approvals`)
      }
      const query = { undoSeconds: UNDO_SECONDS }
      const { notification, series } = await api.post('/admin/v1/apps/{appId}/notifications', {
        path,
        query,
        body,
        idempotencyKey: intent.current,
      })
      // The server has it from now on: a person who comes back to this page shall not send it twice.
      dropDraft(draftName(appId))
      if (series) {
        form.reset(EMPTY)
        toast('It repeats from now on.')
        return navigate(`/apps/${appId}/series/${series.id}`)
      }
      sent.value = { id: notification.id, label: `Sending to ${devices(estimate.value.peek()?.recipients ?? 0)}` }
      scrollTo(0, 0)
    },
  }
}

interface WaitingProps {
  about: string
  label: string
  /** True when it is sent as soon as the time is over; false: it is scheduled for later. */
  isNow: boolean
  /** Calls it off. */
  undo(): Promise<void>
  /** The time is over. */
  done(): void
}

/** Page in place of the form for the seconds in which a send can still be called off. */
export function WaitingPage({ about, label, isNow, undo, done }: WaitingProps) {
  return (
    <div class="page narrow">
      <PageHead title={isNow ? 'On its way' : 'Scheduled'} about={about} />
      <Card>
        <div class="stack">
          <UndoCountdown
            label={isNow ? label : 'Its report opens'}
            seconds={UNDO_SECONDS}
            onUndo={() => void undo()}
            onDone={done}
          />
          <p class="quiet">
            {isNow
              ? 'Nothing has left the server yet. If you close this page, it is sent all the same.'
              : 'It is scheduled, whether this page stays open or not. Until it is due you can also edit or cancel it in its report.'}
          </p>
        </div>
      </Card>
    </div>
  )
}

/** The same for a push. */
export function SentPage({ appId, form, sent }: { appId: number; form: Compose; sent: Signal<Sent | undefined> }) {
  const { when, personalize, 'content.title': title } = form.values.value
  const { id, label } = sent.value!
  const undo = async () => {
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
  return (
    <WaitingPage
      about={personalize ? readable(title) : title}
      label={label}
      isNow={when === 'now'}
      undo={undo}
      done={() => {
        form.reset(EMPTY)
        navigate(`/apps/${appId}/delivery/${id}`, { replace: true })
      }}
    />
  )
}
