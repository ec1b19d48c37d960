import { useSignal } from '@preact/signals'
import { Plus, Webhook } from 'lucide'
import { type Answer, api } from '../../api/client.ts'
import { useList } from '../../api/load.ts'
import { Button } from '../../parts/button.tsx'
import { AsCommand } from '../../parts/code.tsx'
import { TextField } from '../../parts/field.tsx'
import { Form, useForm } from '../../parts/form.tsx'
import { Dialog } from '../../parts/overlays.tsx'
import { command } from '../../parts/shell-words.ts'
import { Badge, Card, PageHead } from '../../parts/surfaces.tsx'
import { ListTable } from '../../parts/table.tsx'
import { Time } from '../../parts/values.tsx'
import type { PageProps } from '../../shell/page.ts'
import { href } from '../../shell/router.ts'
import { ShownOnce } from '../keys/shown-once.tsx'

const WEBHOOKS = '/admin/v1/apps/{appId}/webhooks'
type Hook = Answer<typeof WEBHOOKS>['webhooks'][number]

const STATES = { on: ['good', 'Works'], failing: ['bad', 'Failing'], off: ['quiet', 'Off'] } as const

export function HookState({ state }: Pick<Hook, 'state'>) {
  const [tone, word] = STATES[state]
  return <Badge tone={tone}>{word}</Badge>
}

/** Addresses that get the events of the app. */
export default function Webhooks({ appId }: PageProps) {
  const list = useList<Hook>(
    async (_, signal) => ({ items: (await api.get(WEBHOOKS, { path: { appId }, signal })).webhooks, next: null }),
    [appId],
  )
  const isMaking = useSignal(false)
  const secret = useSignal<string | undefined>(undefined)
  const make = (
    <Button tone="primary" icon={Plus} onClick={() => (isMaking.value = true)}>
      New webhook
    </Button>
  )
  return (
    <div class="page">
      <PageHead
        title="Webhooks"
        about="An address of yours gets the events of the app as they happen: opens, registrations, your own."
        actions={(list.value.value?.length ?? 0) > 0 && make}
      />
      <Card isFlush>
        <ListTable
          label="Webhooks"
          list={list}
          keyOf={({ id }) => id}
          empty={{
            icon: Webhook,
            title: 'No webhooks yet',
            about: 'Your own server learns at once who opened a push, without asking.',
            action: make,
          }}
          columns={[
            {
              title: 'Address',
              cell: ({ id, url }) => (
                <a class="cell-link" href={href(`/apps/${appId}/webhooks/${id}`)}>
                  {url}
                </a>
              ),
            },
            { title: 'Events', cell: ({ types }) => (types === null ? 'All' : types.join(', ')) },
            { title: 'State', cell: (hook) => <HookState {...hook} />, isTight: true },
            { title: 'Made', cell: ({ createdAt }) => <Time at={createdAt} />, isTight: true },
          ]}
        />
      </Card>
      {isMaking.value && (
        <NewWebhook
          appId={appId}
          onClose={() => (isMaking.value = false)}
          onMade={(made) => {
            isMaking.value = false
            secret.value = made
            list.reload()
          }}
        />
      )}
      {secret.value !== undefined && (
        <ShownOnce
          title="Secret of the webhook"
          value={secret.value}
          about="Your endpoint verifies with it that a message comes from here."
          file="webhook-secret.txt"
          onClose={() => (secret.value = undefined)}
        />
      )}
    </div>
  )
}

function NewWebhook({ appId, onClose, onMade }: { appId: number; onClose(): void; onMade(secret: string): void }) {
  const form = useForm(
    { url: '', types: '' },
    {
      draft: `webhook-${appId}`,
      check: ({ url }) => ({ url: url.trim() === '' ? 'Give the address of your endpoint.' : undefined }),
      submit: async (values) => onMade((await api.post(WEBHOOKS, { path: { appId }, body: bodyOf(values) })).secret),
    },
  )
  const { url, types } = form.values.value
  return (
    <Dialog title="New webhook" onClose={onClose}>
      <Form
        form={form}
        submitLabel="Create the webhook"
        more={<Button onClick={onClose}>Cancel</Button>}
        also={
          <AsCommand
            command={command`webhooks create --app ${appId} ${url || 'URL'} ${typesOf(types) ? ['--types', typesOf(types)!.join(',')] : []}`}
            call={{ method: 'POST', path: `/admin/v1/apps/${appId}/webhooks`, body: bodyOf(form.values.value) }}
          />
        }
      >
        <TextField {...form.field('url')} label="Address" hint="https:// and a public name." autoFocus isMono />
        <TextField
          {...form.field('types')}
          label="Types of events"
          hint="Separated by commas, such as k.message.opened. Empty: all."
          isOptional
          isMono
        />
      </Form>
    </Dialog>
  )
}

function typesOf(text: string): string[] | null {
  const types = text
    .split(',')
    .map((one) => one.trim())
    .filter((one) => one !== '')
  return types.length === 0 ? null : types
}

const bodyOf = ({ url, types }: { url: string; types: string }) => ({ url: url.trim(), types: typesOf(types) })
