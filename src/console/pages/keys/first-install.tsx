import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { type Answer, api } from '../../api/client.ts'
import { messageOf } from '../../api/errors.ts'
import { useGet } from '../../api/load.ts'
import { Button } from '../../parts/button.tsx'
import { Card, Note } from '../../parts/surfaces.tsx'
import { href } from '../../state/router.ts'
import { may } from '../../state/session.ts'
import { Outcome } from '../gateways/outcome.tsx'

const QUICKSTART = '/admin/v1/apps/{appId}/quickstart'
const TRIES = '/admin/v1/apps/{appId}/push-tries'
const LOOK_MS = 2000

type First = NonNullable<Answer<typeof QUICKSTART>['firstInstall']>

/** Waits for the first install of an app, and sends it a test push. */
export function FirstInstall({ appId }: { appId: number }) {
  const first = useFirstInstall(appId)
  const gateways = useGet('/admin/v1/apps/{appId}/gateway-states', { path: { appId } })
  const sent = useSignal<number | undefined>(undefined)
  const problem = useSignal<string | undefined>(undefined)
  const isSending = useSignal(false)
  const send = async (to: string) => {
    isSending.value = true
    problem.value = undefined
    try {
      const body = { to, title: 'Hello', message: 'Your first push has arrived.' }
      sent.value = (await api.post(TRIES, { path: { appId }, body })).notification
    } catch (error) {
      problem.value = messageOf(error)
    }
    isSending.value = false
  }
  return (
    <Card title="The first device" about="It appears here as soon as an app or a page with these keys is opened.">
      <div class="stack" role="status">
        {first === undefined ? (
          <Note title="Waiting for the first device…" />
        ) : (
          <Found appId={appId} first={first} isSending={isSending.value} onSend={() => void send(first.installId)} />
        )}
        {problem.value !== undefined && <Note tone="bad" title={problem.value} />}
        {sent.value !== undefined && (
          <Outcome key={sent.value} appId={appId} id={sent.value} sandbox={gateways.value.value?.sandbox ?? null} />
        )}
      </div>
    </Card>
  )
}

interface FoundProps {
  appId: number
  first: First
  isSending: boolean
  onSend(): void
}

function Found({ appId, first: { installId, canReceive, os }, isSending, onSend }: FoundProps) {
  const mayTry = may('operate', appId)
  const gateways = (
    <Button size="small" href={href(`/apps/${appId}/gateways`)}>
      Look at the gateways
    </Button>
  )
  const test = (
    <Button tone="primary" size="small" isBusy={isSending} onClick={onSend}>
      Send it a test push
    </Button>
  )
  return (
    <Note
      tone={canReceive ? 'good' : 'warn'}
      title={`${os ?? 'A device'} has reported.`}
      actions={mayTry && (canReceive ? test : gateways)}
    >
      <p class="mono">{installId}</p>
      {!canReceive && (
        <p>It cannot get pushes yet: it has not asked its person, was refused, or the gateway for it is missing.</p>
      )}
    </Note>
  )
}

/** The first install, looked for every two seconds until it can be reached. Undefined while there is none. */
function useFirstInstall(appId: number): First | undefined {
  const first = useSignal<First | undefined>(undefined)
  useEffect(() => {
    const controller = new AbortController()
    let timer: ReturnType<typeof setTimeout> | undefined
    const look = async () => {
      const { signal } = controller
      // A look that fails is followed by another one.
      const found = await api.get(QUICKSTART, { path: { appId }, signal }).catch(() => undefined)
      if (signal.aborted) return
      first.value = found?.firstInstall ?? first.peek()
      if (!first.peek()?.canReceive) timer = setTimeout(() => void look(), LOOK_MS)
    }
    void look()
    return () => {
      controller.abort()
      clearTimeout(timer)
    }
  }, [appId])
  return first.value
}
