import { useSignal } from '@preact/signals'
import { ShieldCheck } from 'lucide'
import { type Answer, api } from '../../api/client.ts'
import { messageOf } from '../../api/errors.ts'
import { useGet, useLoad, usePages } from '../../api/load.ts'
import { Button } from '../../parts/button.tsx'
import { AsCommand } from '../../parts/code.tsx'
import { Switch } from '../../parts/field.tsx'
import { ConfirmDialog, toast } from '../../parts/overlays.tsx'
import { Badge, Card, Failed, PageHead, Skeleton } from '../../parts/surfaces.tsx'
import { ListTable } from '../../parts/table.tsx'
import { KeyValues, Time } from '../../parts/values.tsx'
import type { PageProps } from '../../state/page.ts'
import { href, navigate } from '../../state/router.ts'
import { currentApp, may, session } from '../../state/session.ts'
import { whenInWords } from '../delivery/when-words.ts'
import { ruleInWords } from '../series/rule.ts'
import type { Push } from './draft.ts'
import { CoverageOf } from './personal/coverage.tsx'
import { readable } from './personal/template.ts'
import { MockUp } from './preview.tsx'
import { devices } from './words.ts'

type Approval = Answer<'/admin/v1/apps/{appId}/approvals'>['items'][number]

const UNDO_SECONDS = 10
const STATES: Record<Approval['state'], readonly [tone: 'warn' | 'good' | 'quiet', word: string]> = {
  waiting: ['warn', 'Waits'],
  approved: ['good', 'Approved'],
  declined: ['quiet', 'Declined'],
}

/** Pushes that wait for a second person. */
export default function Approvals({ appId }: PageProps) {
  const open = useSignal<Approval | undefined>(undefined)
  const list = usePages('/admin/v1/apps/{appId}/approvals', { path: { appId } }, 'items')
  const me = session.value?.person.id
  return (
    <div class="page">
      <PageHead
        title="Approvals"
        about="Where a second person has to approve, a push waits here until somebody else looks at it."
        crumbs={may('campaign', appId) ? [{ label: 'Compose a push', href: href(`/apps/${appId}/push/new`) }] : []}
      />
      <Rule appId={appId} />
      <Card isFlush>
        <ListTable
          label="Pushes that wait or were decided"
          list={list}
          keyOf={({ id }) => id}
          empty={{ icon: ShieldCheck, title: 'Nothing waits', about: 'Pushes that need a second person appear here.' }}
          columns={[
            { title: 'Title', cell: ({ title }) => title },
            { title: 'Asked by', cell: ({ requestedName }) => requestedName },
            { title: 'When', cell: ({ requestedAt }) => <Time at={requestedAt} /> },
            {
              title: 'State',
              cell: ({ state, decidedName }) => (
                <>
                  <Badge tone={STATES[state][0]}>{STATES[state][1]}</Badge> {decidedName}
                </>
              ),
            },
            {
              title: 'Open',
              cell: (one) =>
                one.state === 'waiting' ? (
                  may('campaign', appId) && (
                    <Button size="small" onClick={() => (open.value = one)}>
                      {one.requestedBy === me ? 'Look at it' : 'Review'}
                    </Button>
                  )
                ) : one.notificationId === null ? null : (
                  <a href={href(`/apps/${appId}/delivery/${one.notificationId}`)}>Report</a>
                ),
            },
          ]}
        />
      </Card>
      {open.value && (
        <Decide
          appId={appId}
          approval={open.value}
          isOwn={open.value.requestedBy === me}
          onClose={(hasChanged) => {
            open.value = undefined
            if (hasChanged) list.reload()
          }}
        />
      )}
    </div>
  )
}

/** The rule that a second person approves each push; only owners change it. */
function Rule({ appId }: { appId: number }) {
  const path = { appId }
  const rule = useGet('/admin/v1/apps/{appId}/second-person', { path })
  const now = rule.value.value
  if (rule.error.value !== undefined) return <Failed error={rule.error.value} retry={rule.reload} />
  if (!now) return <Skeleton lines={1} />
  if (!may('own', appId)) {
    return now.required ? null : (
      <p class="quiet">In this app nobody has to approve a push. An owner can change that.</p>
    )
  }
  const change = async (required: boolean) => {
    try {
      rule.set(await api.put('/admin/v1/apps/{appId}/second-person', { path, body: { required } }))
      toast(required ? 'From now on somebody else approves each push.' : 'Pushes are sent without a second person.')
    } catch (error) {
      toast(messageOf(error))
    }
  }
  return (
    <Card>
      <Switch
        label="A second person approves each push"
        hint="Of pushes that people compose. Your servers send as before, and so do tests."
        value={now.required}
        onChange={(required) => void change(required)}
      />
      <AsCommand
        call={{ method: 'PUT', path: `/admin/v1/apps/${appId}/second-person`, body: { required: !now.required } }}
      />
    </Card>
  )
}

interface DecideProps {
  appId: number
  approval: Approval
  isOwn: boolean
  onClose(hasChanged: boolean): void
}

/** A push that waits for approval: its content, its recipients now, and the decision. */
function Decide({ appId, approval, isOwn, onClose }: DecideProps) {
  const path = { appId }
  const push = approval.request as unknown as Push
  const { target, schedule, intelligentDelivery, purpose, priority } = push
  const { content, personalize, lookup, userMeta, buttons, ios, android } = push
  const said = { content, personalize, lookup, userMeta, buttons, ios, android }
  const shown = personalize ? readable : String
  const estimate = useLoad(
    (signal) =>
      api.post('/admin/v1/apps/{appId}/notifications/estimate', {
        path,
        body: { ...said, target, schedule, intelligentDelivery, purpose, priority } as never,
        signal,
      }),
    [appId, approval.id],
  )
  const now = estimate.value.value
  const decline = async () => {
    await api.delete('/admin/v1/apps/{appId}/approvals/{id}', { path: { appId, id: approval.id } })
    toast(isOwn ? 'You withdrew it. Nothing was sent.' : 'You declined it. Nothing was sent.')
    onClose(true)
  }
  /** Declines, and shows an error as a toast: the dialog shows only errors of its own button. */
  const tryToDecline = () => decline().catch((error: unknown) => toast(messageOf(error)))
  const approve = async () => {
    const { notificationId } = await api.post('/admin/v1/apps/{appId}/approvals/{id}/approve', {
      path: { appId, id: approval.id },
      query: { undoSeconds: UNDO_SECONDS },
      body: now ? { confirm: now.audience } : {},
    })
    navigate(`/apps/${appId}/delivery/${notificationId!}`)
  }
  const when = schedule
    ? schedule.strategy === 'recurring'
      ? ruleInWords(schedule)
      : whenInWords(schedule)
    : intelligentDelivery
      ? 'When each person is usually active'
      : 'As soon as it is approved'
  return (
    <ConfirmDialog
      title={isOwn ? 'Your push waits' : `Approve this push of ${approval.requestedName}?`}
      action={isOwn ? 'Withdraw it' : now ? `Approve and send to ${devices(now.recipients)}` : 'Approve and send'}
      tone={isOwn ? 'danger' : 'primary'}
      run={isOwn ? decline : approve}
      onClose={() => onClose(false)}
    >
      <div class="push-review">
        <MockUp
          platform="ios"
          shown={{ title: shown(content.title ?? ''), message: shown(content.message ?? ''), buttons: [] }}
          app={currentApp.value?.name ?? 'App'}
          isDark={false}
          isOpen={false}
        />
        {estimate.error.value !== undefined && <Failed error={estimate.error.value} retry={estimate.reload} />}
        {now?.personalization && <CoverageOf estimate={estimate} whenMissing={personalize?.missing ?? 'skip'} />}
        <KeyValues
          items={[
            ['To', now ? devices(now.recipients) : 'Counting'],
            ['When', when],
            ['Asked', <Time key="asked" at={approval.requestedAt} />],
          ]}
        />
        {!isOwn && (
          <div>
            <Button size="small" tone="danger" onClick={() => tryToDecline()}>
              Decline it
            </Button>
          </div>
        )}
      </div>
    </ConfirmDialog>
  )
}
