import { type Answer, asked } from '../../api/client.ts'
import * as row from '../../forms/rows.ts'
import { TableForm, useTable } from '../../forms/table-form.tsx'
import { Dialog } from '../../parts/overlays.tsx'
import { command } from '../../parts/shell-words.ts'
import { KEYS, type NewKey, SCOPES } from './words.ts'

interface NewKeyProps {
  appId: number
  onClose(): void
  onMade(made: Answer<typeof KEYS, 'post'>): void
}

const KEY = row.table<NewKey>()(
  row.text('name', 'Name', {
    hint: 'The program that uses it: newsletter.',
    autoFocus: true,
    need: 'Name it after the program that uses it.',
    flag: 'name',
  }),
  row.radio('kind', 'For', {
    first: 'server',
    options: [
      { value: 'server', label: 'Your servers', about: 'Sending, users, settings.' },
      { value: 'rest', label: 'Data tables', about: 'Records of tables, over REST.' },
    ],
  }),
  row.ticks('scope', 'What it may do', {
    first: ['send'],
    need: 'Choose at least one.',
    flag: 'scope',
    say: (all: string[]) => all.join(','),
  }),
)

export function NewKeyDialog({ appId, onClose, onMade }: NewKeyProps) {
  const form = useTable(KEY, {
    call: (body) => asked('post', KEYS, { path: { appId }, body }),
    done: onMade,
  })
  const kind = form.values.value.kind as NewKey['kind']
  const extras = {
    kind: { onChange: (next: string) => form.set({ kind: next, scope: next === 'rest' ? ['read'] : ['send'] }) },
    scope: { options: SCOPES[kind] },
  }
  return (
    <Dialog title="New key" onClose={onClose}>
      <TableForm
        form={form}
        submitLabel="Create the key"
        cancel={onClose}
        command={command`keys create --app ${appId} ${kind === 'server' && '--server'} ${form.flags}`}
        extras={extras}
      />
    </Dialog>
  )
}
