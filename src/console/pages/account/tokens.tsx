import { useSignal } from '@preact/signals'
import { Plus, Terminal } from 'lucide'
import { type Answer, api, type Body } from '../../api/client.ts'
import { usePages } from '../../api/load.ts'
import * as row from '../../forms/rows.ts'
import { bodyOf } from '../../forms/table.ts'
import { TableForm, useTable } from '../../forms/table-form.tsx'
import { Button } from '../../parts/button.tsx'
import { ConfirmDialog, Dialog, toast } from '../../parts/overlays.tsx'
import { ShownOnce } from '../../parts/shown-once.tsx'
import { Card } from '../../parts/surfaces.tsx'
import { ListTable } from '../../parts/table.tsx'
import { Time } from '../../parts/values.tsx'
import { apps } from '../../state/session.ts'

const TOKENS = '/admin/v1/me/tokens'
type Token = Answer<typeof TOKENS>['items'][number]
type Scope = Token['scopes'][number]

const SCOPES: readonly { value: Scope; label: string; about: string }[] = [
  { value: 'see', label: 'See', about: 'Read everything.' },
  { value: 'campaign', label: 'Reach people', about: 'Send, segments, templates, links, channels.' },
  { value: 'operate', label: 'Operate', about: 'Gateways, keys, health, backups, erasure.' },
  { value: 'own', label: 'Own', about: 'People, roles, deleting apps.' },
  { value: 'confirmed', label: 'Without asking again', about: 'What needs a fresh sign-in here.' },
]

/** Personal tokens, with which programs and the command line sign in. */
export function Tokens() {
  const list = usePages(TOKENS, {}, 'items')
  const isMaking = useSignal(false)
  const made = useSignal<string | undefined>(undefined)
  const removing = useSignal<Token | undefined>(undefined)
  return (
    <Card
      title="Personal tokens"
      about="For programs, and for the command line on another machine."
      isFlush
      actions={
        <Button size="small" icon={Plus} onClick={() => (isMaking.value = true)}>
          New token
        </Button>
      }
    >
      <ListTable
        label="Personal tokens"
        list={list}
        keyOf={({ id }) => id}
        empty={{ icon: Terminal, title: 'No tokens yet' }}
        columns={[
          { title: 'Name', cell: ({ name }) => name },
          { title: 'Token', cell: ({ hint }) => <span class="mono">{hint}</span> },
          { title: 'Scopes', cell: ({ scopes }) => scopes.join(', ') },
          { title: 'Last used', cell: ({ used }) => <Time at={used} />, isTight: true },
          {
            title: 'Expires',
            cell: ({ expires }) => (expires === null ? 'never' : <Time at={expires} isDue />),
            isTight: true,
          },
          {
            title: '',
            isTight: true,
            cell: (token) => (
              <Button size="small" onClick={() => (removing.value = token)}>
                Delete
              </Button>
            ),
          },
        ]}
      />
      {isMaking.value && (
        <NewToken
          onClose={() => (isMaking.value = false)}
          onMade={(token) => {
            isMaking.value = false
            made.value = token
            list.reload()
          }}
        />
      )}
      {made.value !== undefined && (
        <ShownOnce
          title="Your new token"
          value={made.value}
          warning="Whoever has it acts in your name."
          about="Programs send it as a bearer token; the command line asks for it (appsvc login)."
          file="appsvc-token.txt"
          onClose={() => (made.value = undefined)}
        />
      )}
      {removing.value && (
        <ConfirmDialog
          title={`Delete the token ${removing.value.name}?`}
          action="Delete the token"
          run={async () => {
            await api.delete('/admin/v1/me/tokens/{id}', { path: { id: removing.value!.id } })
            list.reload()
            toast('The token is deleted.')
          }}
          onClose={() => (removing.value = undefined)}
        >
          <p>Programs that use it are refused at once.</p>
        </ConfirmDialog>
      )}
    </Card>
  )
}

const TOKEN = row.table<Body<typeof TOKENS, 'post'>>()(
  row.text('name', 'Name', {
    hint: 'What uses it: nightly import.',
    autoFocus: true,
    need: 'Name it after what uses it.',
  }),
  row.ticks('scopes', 'What it may do, as far as you may', {
    first: ['see'],
    options: SCOPES,
    need: 'Choose at least one.',
  }),
  row.select('appId', 'Where', { to: (id) => (id === '' ? null : Number(id)) }),
  row.number('days', 'Ends after', {
    first: 90,
    unit: 'days',
    min: 1,
    max: 3650,
    hint: 'Empty: it does not end by itself.',
    isOptional: true,
    empty: 'null',
  }),
)

function NewToken({ onClose, onMade }: { onClose(): void; onMade(token: string): void }) {
  const form = useTable(TOKEN, {
    submit: async (values) => onMade((await api.post(TOKENS, { body: bodyOf(TOKEN, values) })).token),
  })
  const places = (apps.value ?? []).map(({ id, name }) => ({ value: String(id), label: `Only ${name}` }))
  return (
    <Dialog title="New token" onClose={onClose}>
      <TableForm
        form={form}
        submitLabel="Create the token"
        cancel={onClose}
        extras={{ appId: { options: [{ value: '', label: 'Everywhere you have a role' }, ...places] } }}
      />
    </Dialog>
  )
}
