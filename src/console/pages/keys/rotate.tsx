import { api } from '../../api/client.ts'
import { Button } from '../../parts/button.tsx'
import { AsCommand } from '../../parts/code.tsx'
import { SelectField } from '../../parts/field.tsx'
import { Form, useForm } from '../../parts/form.tsx'
import { Dialog, toast } from '../../parts/overlays.tsx'
import { Note } from '../../parts/surfaces.tsx'
import { GRACES, OWN, type OwnKey } from './words.ts'

interface RotateProps {
  appId: number
  kind: OwnKey['kind']
  onClose(): void
  onMade(key: string): void
}

/** Replaces a key of the app; the old one may go on for a while. */
export function RotateDialog({ appId, kind, onClose, onMade }: RotateProps) {
  const { name } = OWN[kind]
  const form = useForm(
    { grace: GRACES[kind][0]!.value },
    {
      names: { graceSeconds: 'grace' },
      submit: async ({ grace }) => {
        const { key } = await api.post('/admin/v1/apps/{appId}/keys/{kind}/rotate', {
          path: { appId, kind },
          body: { graceSeconds: Number(grace) },
        })
        toast(`The ${name} is replaced.`)
        onMade(key)
      },
    },
  )
  const { grace } = form.values.value
  return (
    <Dialog title={`Replace the ${name}`} onClose={onClose}>
      <Form
        form={form}
        submitLabel={`Replace the ${name}`}
        tone={grace === '0' ? 'danger' : 'primary'}
        more={<Button onClick={onClose}>Cancel</Button>}
        also={
          <AsCommand
            command={`appsvc apps keys rotate ${appId} --${kind} --grace ${grace}s`}
            call={{
              method: 'POST',
              path: `/admin/v1/apps/${appId}/keys/${kind}/rotate`,
              body: { graceSeconds: Number(grace) },
            }}
          />
        }
      >
        <SelectField {...form.field('grace')} label="How long the old key goes on working" options={GRACES[kind]} />
        {grace === '0' && (
          <Note
            tone="warn"
            title={
              kind === 'server'
                ? 'Your servers are refused within a second, until they have the new key.'
                : 'Installed apps lose access until they are updated.'
            }
          />
        )}
      </Form>
    </Dialog>
  )
}
