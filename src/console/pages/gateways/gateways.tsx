import { Settings2, Webhook } from 'lucide'
import { useGet } from '../../api/load.ts'
import { Button } from '../../parts/button.tsx'
import { Badge, Card, Failed, Note, PageHead, Skeleton } from '../../parts/surfaces.tsx'
import { Time } from '../../parts/values.tsx'
import type { PageProps } from '../../state/page.ts'
import { href } from '../../state/router.ts'
import { may } from '../../state/session.ts'
import { Facts, sentence } from './facts.tsx'
import { lastPhone } from './last-phone.ts'
import { Sandbox } from './sandbox.tsx'
import { Try } from './try.tsx'
import { type Gateway, isMinor, STATES } from './words.ts'

/** A card for each platform, and the means to try a push. */
export default function Gateways({ appId }: PageProps) {
  const states = useGet('/admin/v1/apps/{appId}/gateway-states', { path: { appId } })
  const now = states.value.value
  const isOperator = may('operate', appId)
  const canTry = isOperator && (now?.items.some(({ state }) => state === 'ready' || state === 'expiring') ?? false)
  // Who has just registered a phone wants to reach it.
  const hasPhone = lastPhone.value?.appId === appId
  return (
    <div class="page">
      <PageHead
        title="Gateways"
        about="Pushes leave through the vendor of each platform. Each one needs a credential of yours, once."
      />
      {states.error.value !== undefined ? (
        <Failed error={states.error.value} retry={states.reload} />
      ) : now === undefined ? (
        <Card>
          <Skeleton lines={6} />
        </Card>
      ) : (
        <div class="stack loose">
          {isOperator && <Sandbox appId={appId} page={now.sandbox} items={now.items} onChange={states.reload} />}
          {canTry && hasPhone && <Try appId={appId} sandbox={now.sandbox} />}
          <div class="grid halves">
            {now.items.map((gateway) => (
              <GatewayCard key={gateway.platform} gateway={gateway} appId={appId} />
            ))}
          </div>
          {canTry && !hasPhone && <Try appId={appId} sandbox={now.sandbox} />}
        </div>
      )}
    </div>
  )
}

function GatewayCard({ gateway, appId }: { gateway: Gateway; appId: number }) {
  const { platform, name, reaches, state, facts, ends, changed, held } = gateway
  const { word, tone } = STATES[state]
  const at = href(`/apps/${appId}/gateways/${platform}`)
  const isOperator = may('operate', appId)
  const isThere = state !== 'missing'
  return (
    <Card
      title={
        <span class="row">
          {name}
          <Badge tone={tone}>{word}</Badge>
        </span>
      }
      about={reaches}
      foot={
        <div class="row spread">
          {changed !== null && (
            <span class="quiet small-text">
              Changed <Time at={changed} />
            </span>
          )}
          {isOperator && (
            <Button href={at} icon={isThere ? Settings2 : Webhook} size="small">
              {isThere ? `Manage ${name}` : `Set up ${name}`}
            </Button>
          )}
        </div>
      }
    >
      <div class="stack tight">
        {isThere ? (
          <Facts facts={facts.filter((fact) => !isMinor(fact))} ends={ends} />
        ) : (
          <p class="quiet">These devices get nothing until it is set up.</p>
        )}
        {held && (
          <Note tone="bad" title="Sending is paused.">
            <p>
              {sentence(held.reason ?? held.kind ?? 'the vendor refuses')} Next try <Time at={held.until} isDue />. What
              waits is kept.
            </p>
          </Note>
        )}
        {state === 'expired' && <Note tone="bad" title="The credential has ended. Give a new one." />}
        {state === 'expiring' && (
          <Note tone="warn" title="Give a new credential before it ends. Nothing is lost by doing so early." />
        )}
        {state === 'cannot_send' && (
          <Note tone="bad" title="This kind of credential no longer sends. Give another one." />
        )}
      </div>
    </Card>
  )
}
