import { useSignal } from '@preact/signals'
import { Plus, Webhook } from 'lucide'
import { type Answer, asked, type Body } from '../../api/client.ts'
import { usePages } from '../../api/load.ts'
import * as row from '../../forms/rows.ts'
import { TableForm, useTable } from '../../forms/table-form.tsx'
import { Button } from '../../parts/button.tsx'
import { Dialog } from '../../parts/overlays.tsx'
import { command } from '../../parts/shell-words.ts'
import { ShownOnce } from '../../parts/shown-once.tsx'
import { Badge, Card, PageHead } from '../../parts/surfaces.tsx'
import { ListTable } from '../../parts/table.tsx'
import { Time } from '../../parts/values.tsx'
import type { PageProps } from '../../state/page.ts'
import { href } from '../../state/router.ts'

const WEBHOOKS = '/admin/v1/apps/{appId}/webhooks'
type Hook = Answer<typeof WEBHOOKS>['webhooks'][number]

const STATES = { on: ['good', 'Works'], failing: ['bad', 'Failing'], off: ['quiet', 'Off'] } as const

export function HookState({ state }: Pick<Hook, 'state'>) {
  const [tone, word] = STATES[state]
  return <Badge tone={tone}>{word}</Badge>
}

/** Addresses that get the events of the app. */
export default function Webhooks({ appId }: PageProps) {
  const list = usePages(WEBHOOKS, { path: { appId } }, 'webhooks')
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
        about="A URL of yours gets the events of the app as they happen: opens, registrations, your own."
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
              title: 'URL',
              cell: ({ id, url }) => (
                <a class="cell-link" href={href(`/apps/${appId}/webhooks/${id}`)}>
                  {url}
                </a>
              ),
            },
            { title: 'Events', cell: ({ types }) => (types === null ? 'All' : types.join(', ')) },
            { title: 'State', cell: (hook) => <HookState {...hook} />, isTight: true },
            { title: 'Created', cell: ({ createdAt }) => <Time at={createdAt} />, isTight: true },
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

const HOOK = row.table<Body<typeof WEBHOOKS, 'post'>>()(
  row.text('url', 'URL', {
    hint: 'https:// and a public name.',
    autoFocus: true,
    isMono: true,
    sample: 'URL',
    need: 'Give the URL of your endpoint.',
  }),
  row.list('types', 'Types of events', {
    hint: 'Separated by commas, such as k.message.opened. Empty: all.',
    isOptional: true,
    isMono: true,
    empty: 'null',
    flag: 'types',
    say: (types: string[]) => types.join(','),
  }),
)

function NewWebhook({ appId, onClose, onMade }: { appId: number; onClose(): void; onMade(secret: string): void }) {
  const form = useTable(HOOK, {
    draft: `webhook-${appId}`,
    call: (body) => asked('post', WEBHOOKS, { path: { appId }, body }),
    done: ({ secret }) => onMade(secret),
  })
  return (
    <Dialog title="New webhook" onClose={onClose}>
      <TableForm
        form={form}
        submitLabel="Create the webhook"
        cancel={onClose}
        command={command`webhooks create --app ${appId} ${form.shown.url.trim()} ${form.flags}`}
      />
    </Dialog>
  )
}
