import { useSignal } from '@preact/signals'
import { Play, RefreshCw, RotateCcw, Trash2 } from 'lucide'
import { type Answer, api } from '../../api/client.ts'
import { messageOf } from '../../api/errors.ts'
import { useGet, usePages } from '../../api/load.ts'
import * as row from '../../forms/rows.ts'
import { TableForm, useTable } from '../../forms/table-form.tsx'
import { Button } from '../../parts/button.tsx'
import { formatNumber } from '../../parts/numbers.ts'
import { ConfirmDialog, Dialog, Menu, toast } from '../../parts/overlays.tsx'
import { ShownOnce } from '../../parts/shown-once.tsx'
import { Badge, Card, Failed, Note, PageHead, Skeleton } from '../../parts/surfaces.tsx'
import { ListTable } from '../../parts/table.tsx'
import { useWork } from '../../parts/use-work.ts'
import { KeyValues, Num, Time } from '../../parts/values.tsx'
import type { PageProps } from '../../state/page.ts'
import { href, navigate } from '../../state/router.ts'
import { DAY_S } from '../keys/words.ts'
import { HookState } from './webhooks.tsx'

const HOOK = '/admin/v1/apps/{appId}/webhooks/{id}'
const ATTEMPTS = '/admin/v1/apps/{appId}/webhooks/{id}/attempts'
type Test = Answer<'/admin/v1/apps/{appId}/webhooks/{id}/test', 'post'>

/** A webhook: its state, a test, its deliveries, and a replay of past events. */
export default function WebhookPage({ appId, params }: PageProps) {
  const id = params['webhookId'] ?? ''
  const path = { appId, id }
  const hook = useGet(HOOK, { path })
  const attempts = usePages(ATTEMPTS, { path, query: { limit: 50 } }, 'attempts')
  const asking = useSignal<'rotate' | 'delete' | 'replay' | undefined>(undefined)
  const secret = useSignal<string | undefined>(undefined)
  const now = hook.value.value
  const close = () => (asking.value = undefined)
  return (
    <div class="page">
      <PageHead
        title={now ? new URL(now.url).host : 'Webhook'}
        about={now && <span class="mono">{now.url}</span>}
        crumbs={[{ label: 'Webhooks', href: href(`/apps/${appId}/webhooks`) }]}
        actions={
          now && (
            <Menu
              label="More"
              items={[
                {
                  label: now.enabled ? 'Switch it off' : 'Switch it on',
                  icon: Play,
                  run: () => void toggle(),
                },
                { label: 'Replace the secret', icon: RefreshCw, run: () => void (asking.value = 'rotate') },
                { label: 'Send the past once more', icon: RotateCcw, run: () => void (asking.value = 'replay') },
                {
                  label: 'Delete it',
                  icon: Trash2,
                  tone: 'danger',
                  isApart: true,
                  run: () => void (asking.value = 'delete'),
                },
              ]}
            />
          )
        }
      />
      {hook.error.value !== undefined ? (
        <Failed error={hook.error.value} retry={hook.reload} />
      ) : now === undefined ? (
        <Card>
          <Skeleton lines={5} />
        </Card>
      ) : (
        <div class="stack loose">
          <Card title="State" actions={<TestButton appId={appId} id={id} />}>
            <div class="stack">
              <KeyValues
                items={[
                  ['State', <HookState key="state" state={now.state} />],
                  ['Events', now.types === null ? 'All' : now.types.join(', ')],
                  [
                    'Secret',
                    <span key="secret" class="mono">
                      {now.secretHint}
                    </span>,
                  ],
                  [
                    'Former secret until',
                    now.formerSecretUntil ? <Time key="former" at={now.formerSecretUntil} isDue /> : undefined,
                  ],
                  ['Failing since', now.failingSince ? <Time key="failing" at={now.failingSince} /> : undefined],
                  ['Created', <Time key="created" at={now.createdAt} />],
                ]}
              />
              {now.offReason !== null && (
                <Note
                  tone="warn"
                  title={`It is off: ${now.offReason}.`}
                  actions={
                    <Button size="small" onClick={() => toggle()}>
                      Switch it on
                    </Button>
                  }
                />
              )}
              {now.replay !== null && <Note title="Events of the past are being sent once more." />}
            </div>
          </Card>
          <Card title="Requests of the last seven days" isFlush>
            <ListTable
              label="Requests"
              list={attempts}
              keyOf={({ id: one }) => one}
              empty={{ title: 'Nothing was sent', about: 'Requests appear here as soon as an event happens.' }}
              columns={[
                { title: 'When', cell: ({ at }) => <Time at={at} />, isTight: true },
                {
                  title: 'Outcome',
                  cell: ({ reason, replay }) => (
                    <span class="breaks">
                      <Badge tone={reason === null ? 'good' : 'bad'}>{reason === null ? 'Taken' : 'Not taken'}</Badge>{' '}
                      {reason ?? (replay && 'sent once more')}
                    </span>
                  ),
                },
                { title: 'Events', cell: ({ events }) => <Num value={events} />, isNumeric: true },
                { title: 'Attempt', cell: ({ attempt }) => <Num value={attempt} />, isNumeric: true },
                { title: 'Took', cell: ({ tookMs }) => `${formatNumber(tookMs)} ms`, isNumeric: true, isTight: true },
              ]}
            />
          </Card>
        </div>
      )}
      {asking.value === 'rotate' && (
        <ConfirmDialog
          title="Replace the secret?"
          action="Replace the secret"
          tone="primary"
          run={async () => {
            const made = await api.post('/admin/v1/apps/{appId}/webhooks/{id}/rotate', {
              path,
              body: { overlapSeconds: DAY_S },
            })
            secret.value = made.secret
            hook.reload()
          }}
          onClose={close}
        >
          <p>Messages are signed with both secrets for a day, so that you have time to change your endpoint.</p>
        </ConfirmDialog>
      )}
      {asking.value === 'delete' && (
        <ConfirmDialog
          title="Delete the webhook?"
          action="Delete the webhook"
          run={async () => {
            await api.delete(HOOK, { path })
            toast('The webhook is deleted.')
            navigate(`/apps/${appId}/webhooks`)
          }}
          onClose={close}
        >
          <p>What it has not got is not sent.</p>
        </ConfirmDialog>
      )}
      {asking.value === 'replay' && <Replay appId={appId} id={id} onClose={close} onDone={hook.reload} />}
      {secret.value !== undefined && (
        <ShownOnce
          title="New secret of the webhook"
          value={secret.value}
          about="Your endpoint verifies with it that a message comes from here."
          file="webhook-secret.txt"
          onClose={() => (secret.value = undefined)}
        />
      )}
    </div>
  )

  async function toggle() {
    try {
      hook.set(await api.patch(HOOK, { path, body: { enabled: !now!.enabled } }))
    } catch (error) {
      toast(messageOf(error))
    }
  }
}

function TestButton({ appId, id }: { appId: number; id: string }) {
  const found = useSignal<Test | undefined>(undefined)
  const { isBusy, problem, run } = useWork()
  const test = () =>
    run(async () => {
      found.value = await api.post('/admin/v1/apps/{appId}/webhooks/{id}/test', { path: { appId, id } })
    })
  return (
    <>
      <Button size="small" icon={Play} isBusy={isBusy.value} onClick={() => test()}>
        Send a test message
      </Button>
      <span role="status">
        {problem.value ??
          (found.value &&
            (found.value.taken
              ? `Taken in ${formatNumber(found.value.tookMs)} ms.`
              : `Not taken: ${found.value.reason ?? 'no answer'}.`))}
      </span>
    </>
  )
}

const REPLAY = row.table<{ from: string }>()(row.instant('from', 'From', { need: 'Say from when.' }))

function Replay({ appId, id, onClose, onDone }: { appId: number; id: string; onClose(): void; onDone(): void }) {
  const form = useTable(REPLAY, {
    submit: async ({ from }) => {
      await api.post('/admin/v1/apps/{appId}/webhooks/{id}/replay', { path: { appId, id }, body: { from: from! } })
      toast('Events of the past are on their way.')
      onDone()
      onClose()
    },
  })
  return (
    <Dialog title="Send the past once more" onClose={onClose}>
      <TableForm
        form={form}
        submitLabel="Send them"
        cancel={onClose}
        lead={<p>The endpoint gets these events beside those that happen now. They are marked as a replay.</p>}
      />
    </Dialog>
  )
}
