import { type Answer, api } from '../../api/client.ts'
import { Button } from '../../parts/button.tsx'
import { AsCommand } from '../../parts/code.tsx'
import { CheckboxGroup, RadioGroup, TextField } from '../../parts/field.tsx'
import { Form, useForm } from '../../parts/form.tsx'
import { Dialog } from '../../parts/overlays.tsx'
import { command } from '../../parts/shell-words.ts'
import { KEYS, type NewKey, SCOPES, type Scope } from './words.ts'

interface Values {
  kind: NewKey['kind'] | ''
  name: string
  scope: readonly Scope[]
}

interface NewKeyProps {
  appId: number
  onClose(): void
  onMade(made: Answer<typeof KEYS, 'post'>): void
}

export function NewKeyDialog({ appId, onClose, onMade }: NewKeyProps) {
  const form = useForm<Values>(
    { kind: 'server', name: '', scope: ['send'] },
    {
      check: ({ name, scope }) => ({
        name: name.trim() === '' ? 'Name it after the program that uses it.' : undefined,
        scope: scope.length === 0 ? 'Choose at least one.' : undefined,
      }),
      submit: async (values) => onMade(await api.post(KEYS, { path: { appId }, body: bodyOf(values) })),
    },
  )
  const { kind, scope, name } = form.values.value
  const kindField = form.field('kind')
  return (
    <Dialog title="New key" onClose={onClose}>
      <Form
        form={form}
        submitLabel="Make the key"
        more={<Button onClick={onClose}>Cancel</Button>}
        also={
          <AsCommand
            command={command`keys create --app ${appId} ${kind === 'server' ? ['--server'] : []} --scope ${scope.join(',')} --name ${name}`}
            call={{ method: 'POST', path: `/admin/v1/apps/${appId}/keys`, body: bodyOf(form.values.value) }}
          />
        }
      >
        <TextField {...form.field('name')} label="Name" hint="The program that uses it: newsletter." autoFocus />
        <RadioGroup
          {...kindField}
          onChange={(next) => form.set({ kind: next, scope: next === 'rest' ? ['read'] : ['send'] })}
          label="For"
          options={[
            { value: 'server', label: 'Your servers', about: 'Sending, users, settings.' },
            { value: 'rest', label: 'Data tables', about: 'Records of tables, over REST.' },
          ]}
        />
        <CheckboxGroup {...form.field('scope')} label="What it may do" options={SCOPES[kind || 'server']} />
      </Form>
    </Dialog>
  )
}

const bodyOf = ({ kind, name, scope }: Values): NewKey => ({
  kind: kind || 'server',
  name: name.trim(),
  scope: [...scope],
})
