import { type Signal, useSignal } from '@preact/signals'
import { useRef } from 'preact/hooks'
import { api } from '../../api/client.ts'
import { dropDraft } from '../../api/drafts.ts'
import { ApiError, messageOf } from '../../api/errors.ts'
import { newIntent } from '../../api/intent.ts'
import { toast } from '../../parts/overlays.tsx'
import { navigate } from '../../state/router.ts'
import { type Sent, UNDO_SECONDS, WaitingPage } from '../push/sent.tsx'
import type { Answers } from './answers.ts'
import { messageOf as bodyOf, type ComposeForm, EMPTY } from './draft.ts'
import { people } from './words.ts'

const MESSAGE = '/admin/v1/apps/{appId}/in-app-messages/{id}'

export const draftName = (appId: number): string => `in-app-message-${appId}`

interface Sending {
  sent: Signal<Sent | undefined>
  /** Sends it; `confirm`: the number of people that was typed. */
  send(confirm: number | undefined): Promise<void>
}

/** Sends what is written. */
export function useSending(appId: number, form: ComposeForm, { estimate }: Answers): Sending {
  const sent = useSignal<Sent | undefined>(undefined)
  const intent = useRef(newIntent())
  return {
    sent,
    async send(confirm) {
      const body = { ...bodyOf(form.values.peek())!, ...(confirm !== undefined && { confirm }) }
      const { message, series } = await api
        .post('/admin/v1/apps/{appId}/in-app-messages', {
          path: { appId },
          query: { undoSeconds: UNDO_SECONDS },
          body,
          idempotencyKey: intent.current,
        })
        .catch((error: unknown) => {
          // Without an answer the server may have it: the same once more sends nothing twice.
          if (error instanceof ApiError && error.status >= 400 && error.status < 500) intent.current = newIntent()
          throw error
        })
      intent.current = newIntent()
      // The server has it from now on: a person who comes back to this page shall not send it twice.
      dropDraft(draftName(appId))
      if (series) {
        form.reset(EMPTY)
        toast('It repeats from now on.')
        return navigate(`/apps/${appId}/series/${series.id}`)
      }
      sent.value = { id: message.id, label: `Sending to ${people(estimate.value.peek()?.recipients ?? 0)}` }
      scrollTo(0, 0)
    },
  }
}

interface SentProps {
  appId: number
  form: ComposeForm
  sent: Signal<Sent | undefined>
  /** Name of its template. */
  about: string
}

/** Page in place of the form for the seconds in which a message can still be called off. */
export function SentPage({ appId, form, sent, about }: SentProps) {
  const { when } = form.values.value
  const { id, label } = sent.value!
  const path = { appId, id }
  const undo = async () => {
    try {
      await api.delete(MESSAGE, { path })
      const { counts } = await api.get(MESSAGE, { path })
      toast(
        counts.recipients === 0
          ? 'Nobody got it. What you wrote is still here.'
          : `It is taken back. ${people(counts.recipients)} had it already; their devices remove it.`,
      )
      form.set({})
      sent.value = undefined
    } catch (error) {
      toast(messageOf(error))
      navigate(`/apps/${appId}/in-app/${id}`)
    }
  }
  return (
    <WaitingPage
      about={about}
      label={label}
      isNow={when === 'now'}
      undo={undo}
      done={() => {
        form.reset(EMPTY)
        navigate(`/apps/${appId}/in-app/${id}`, { replace: true })
      }}
    />
  )
}
