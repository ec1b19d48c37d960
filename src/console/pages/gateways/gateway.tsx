import { useSignal } from '@preact/signals'
import { ExternalLink, RefreshCw, Trash2 } from 'lucide'
import { type Answer, api } from '../../api/client.ts'
import { useGet } from '../../api/load.ts'
import { Button } from '../../parts/button.tsx'
import { Icon } from '../../parts/icon.tsx'
import { ConfirmDialog, toast } from '../../parts/overlays.tsx'
import { Badge, Card, Failed, Note, PageHead, Skeleton } from '../../parts/surfaces.tsx'
import { type TabItem, Tabs } from '../../parts/tabs.tsx'
import { useWork } from '../../parts/use-work.ts'
import type { PageProps } from '../../state/page.ts'
import { href, navigate } from '../../state/router.ts'
import { CredentialForm } from './credential-form.tsx'
import { Facts, sentence, Warnings } from './facts.tsx'
import { type Guide, type Platform, STATES, type Way } from './words.ts'

/** A gateway: its credential, a check with its vendor, and how to get another credential. */
export default function GatewayPage({ appId, params }: PageProps) {
  const platform = params['platform'] as Platform
  const guide = useGet('/admin/v1/apps/{appId}/gateways/{platform}', { path: { appId, platform } })
  const now = guide.value.value
  const isThere = now !== undefined && now.gateway.state !== 'missing'
  return (
    <div class="page narrow">
      <PageHead
        title={now?.gateway.name ?? 'Gateway'}
        about={now?.gateway.reaches}
        crumbs={[{ label: 'Gateways', href: href(`/apps/${appId}/gateways`) }]}
      />
      {guide.error.value !== undefined ? (
        <Failed error={guide.error.value} retry={guide.reload} />
      ) : now === undefined ? (
        <Card>
          <Skeleton lines={6} />
        </Card>
      ) : (
        <div class="stack loose">
          {isThere && <Present key={now.gateway.changed} appId={appId} guide={now} onChange={guide.reload} />}
          <SetUp appId={appId} guide={now} isThere={isThere} onSaved={guide.reload} />
          {isThere && <Remove appId={appId} guide={now} />}
        </div>
      )}
    </div>
  )
}

type Findings = Answer<'/admin/v1/apps/{appId}/gateways/{platform}/check', 'post'>['findings']
const TONES = { ok: 'good', warning: 'warn', error: 'bad' } as const

function Present({ appId, guide: { gateway }, onChange }: { appId: number; guide: Guide; onChange(): void }) {
  const { platform, state, facts, ends, warnings } = gateway
  const findings = useSignal<Findings | undefined>(undefined)
  const { isBusy, problem, run } = useWork(onChange)
  const check = () =>
    run(async () => {
      findings.value = undefined
      const path = { appId, platform }
      findings.value = (await api.post('/admin/v1/apps/{appId}/gateways/{platform}/check', { path })).findings
    })
  return (
    <Card
      title={
        <span class="row">
          Credential
          <Badge tone={STATES[state].tone}>{STATES[state].word}</Badge>
        </span>
      }
      about="The secret itself is never shown again."
      actions={
        <Button icon={RefreshCw} size="small" isBusy={isBusy.value} onClick={() => check()}>
          Check now
        </Button>
      }
    >
      <div class="stack">
        <Facts facts={facts} ends={ends} />
        <Warnings warnings={warnings} />
        <div class="stack tight" role="status">
          {problem.value !== undefined && <Note tone="bad" title={problem.value} />}
          {findings.value?.map(({ level, what, remedy }) => (
            <Note key={what} tone={TONES[level]} title={sentence(what)}>
              {remedy !== null && <p>What to do: {remedy}.</p>}
            </Note>
          ))}
          {findings.value?.length === 0 && <Note title="There is nothing to check before the first push." />}
        </div>
      </div>
    </Card>
  )
}

function SetUp({ appId, guide, isThere, onSaved }: { appId: number; guide: Guide; isThere: boolean; onSaved(): void }) {
  const tabs = guide.ways.map(
    (way): TabItem => ({
      name: way.name,
      label: way.label,
      panel: () => <WayPanel key={way.name} appId={appId} guide={guide} way={way} onSaved={onSaved} />,
    }),
  )
  return (
    <Card
      title={isThere ? 'Replace the credential' : 'Set it up'}
      about={isThere ? 'The new one counts at once, and what waited goes out.' : undefined}
    >
      {tabs.length === 1 ? tabs[0]!.panel() : <Tabs items={tabs} label="Kinds of credential" param="way" />}
    </Card>
  )
}

function WayPanel({ appId, guide, way, onSaved }: { appId: number; guide: Guide; way: Way; onSaved(): void }) {
  return (
    <div class="stack">
      <p class="quiet">{way.about}</p>
      <ol class="guide-steps">
        {way.steps.map(({ text, url }) => (
          <li key={text}>
            {text}{' '}
            {url !== undefined && (
              <a href={url} target="_blank" rel="noreferrer">
                Open the page <Icon of={ExternalLink} size="small" />
              </a>
            )}
          </li>
        ))}
      </ol>
      <CredentialForm appId={appId} guide={guide} way={way} onSaved={onSaved} />
    </div>
  )
}

function Remove({ appId, guide: { gateway, removalLoses } }: { appId: number; guide: Guide }) {
  const isAsking = useSignal(false)
  const { platform, name } = gateway
  return (
    <Card
      title="Remove this gateway"
      about="Nothing more is sent through it."
      actions={
        <Button tone="danger" size="small" icon={Trash2} onClick={() => (isAsking.value = true)}>
          Remove it
        </Button>
      }
    >
      {isAsking.value && (
        <ConfirmDialog
          title={`Remove the gateway ${name}?`}
          action="Remove the gateway"
          typed={platform}
          run={async () => {
            await api.delete('/admin/v1/apps/{appId}/gateways/{platform}', { path: { appId, platform } })
            toast(`The gateway ${name} is removed.`)
            navigate(`/apps/${appId}/gateways`)
          }}
          onClose={() => (isAsking.value = false)}
        >
          <p>
            Its credential is deleted. Nothing more reaches {gateway.reaches.split(',')[0]}, and people who still wait
            for a push there do not get it.
          </p>
          {removalLoses !== null && <p>{removalLoses}</p>}
        </ConfirmDialog>
      )}
    </Card>
  )
}
