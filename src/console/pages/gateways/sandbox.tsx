import { useSignal } from '@preact/signals'
import { ExternalLink, FlaskConical, Smartphone } from 'lucide'
import { api, type Body } from '../../api/client.ts'
import { messageOf } from '../../api/errors.ts'
import { Button } from '../../parts/button.tsx'
import { Code } from '../../parts/code.tsx'
import { Icon } from '../../parts/icon.tsx'
import { toast } from '../../parts/overlays.tsx'
import { Card, Note, Steps } from '../../parts/surfaces.tsx'
import { More } from '../../parts/values.tsx'
import { lastPhone } from './last-phone.ts'
import type { Gateway } from './words.ts'

type Kind = Body<'/admin/v1/apps/{appId}/sandbox/phones', 'post'>['kind']

const PHONES: readonly { kind: Kind; platform: string; article: string; label: string }[] = [
  { kind: 'iphone', platform: 'ios', article: 'an', label: 'iPhone' },
  { kind: 'android', platform: 'android', article: 'an', label: 'Android phone' },
  { kind: 'chrome', platform: 'web', article: 'a', label: 'Chrome' },
  { kind: 'unifiedpush', platform: 'web', article: 'a', label: 'phone without Google' },
]

interface SandboxProps {
  appId: number
  /** Address of the page of the sandbox; null: this server has none. */
  page: string | null
  items: readonly Gateway[]
  onChange(): void
}

/** Rehearsing without a vendor's account and without a phone. */
export function Sandbox({ appId, page, items, onChange }: SandboxProps) {
  if (page === null) return <HowTo />
  return <Rehearse appId={appId} page={page} items={items} onChange={onChange} />
}

function Rehearse({ appId, page, items, onChange }: Omit<SandboxProps, 'page'> & { page: string }) {
  const busy = useSignal<string | undefined>(undefined)
  const problem = useSignal<string | undefined>(undefined)
  const isThere = (platform: string) => items.some((one) => one.platform === platform && one.state !== 'missing')
  const offered = PHONES.filter(({ platform }) => isThere(platform))
  const hasAll = PHONES.every(({ platform }) => isThere(platform))
  const run = async (what: string, work: () => Promise<unknown>) => {
    if (busy.peek() !== undefined) return
    busy.value = what
    problem.value = undefined
    try {
      await work()
    } catch (error) {
      problem.value = messageOf(error)
    } finally {
      busy.value = undefined
    }
  }
  const lead = () =>
    run('sandbox', async () => {
      const { platforms } = await api.post('/admin/v1/apps/{appId}/sandbox', { path: { appId } })
      toast(`${platforms.length} gateways lead to the sandbox.`)
      onChange()
    })
  const register = (kind: Kind, label: string) =>
    run(kind, async () => {
      const phone = await api.post('/admin/v1/apps/{appId}/sandbox/phones', { path: { appId }, body: { kind } })
      lastPhone.value = { appId, installId: phone.installId, name: phone.name }
      toast(`The ${label} is registered. Send it a push below.`)
    })
  const hasPhone = lastPhone.value?.appId === appId
  return (
    <Card
      title="Rehearse in the sandbox"
      about="This server sends to stand-ins for the vendors. Nothing reaches a real phone."
      actions={
        <a class="button small" href={page} target="_blank" rel="noreferrer">
          <SandboxIcon /> Open the sandbox
        </a>
      }
    >
      <div class="stack">
        <Steps
          items={[
            {
              title: 'Use the sandbox as gateways',
              about: 'Gateways that are set up already stay as they are.',
              isDone: hasAll,
              action: (
                <Button tone="primary" icon={FlaskConical} isBusy={busy.value === 'sandbox'} onClick={() => lead()}>
                  Use the sandbox
                </Button>
              ),
            },
            {
              title: 'Register a sandbox phone',
              about:
                'It behaves like a phone on which somebody starts your app for the first time. Its user is called sandbox.',
              isDone: hasPhone,
            },
            { title: 'Send it a push, and see it arrive on the page of the sandbox', isDone: false },
          ]}
        />
        {offered.length > 0 && (
          <div class="row">
            {offered.map(({ kind, article, label }) => (
              <Button
                key={kind}
                icon={Smartphone}
                tone={hasAll && !hasPhone && kind === 'iphone' ? 'primary' : 'plain'}
                isBusy={busy.value === kind}
                onClick={() => register(kind, label)}
              >
                Add {article} {label}
              </Button>
            ))}
          </div>
        )}
        <div role="alert">{problem.value !== undefined && <Note tone="bad" title={problem.value} />}</div>
      </div>
    </Card>
  )
}

function SandboxIcon() {
  return <Icon of={ExternalLink} size="small" />
}

function HowTo() {
  return (
    <More label="No vendor account yet? Rehearse in the sandbox">
      <div class="stack tight">
        <p>
          The sandbox stands in for Apple, Google and the others on your machine. Start the server with it, and this
          page offers it:
        </p>
        <Code text="appsvc serve --sandbox" label="Copy the command" />
        <p class="quiet">
          Or run appsvc sandbox beside a server, and start the server with the settings that it prints. Do not use it on
          a public server.
        </p>
      </div>
    </More>
  )
}
