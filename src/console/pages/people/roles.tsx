import { api } from '../../api/client.ts'
import { AsCommand } from '../../parts/code.tsx'
import { Form, useForm } from '../../parts/form.tsx'
import { Dialog, toast } from '../../parts/overlays.tsx'
import { command } from '../../parts/shell-words.ts'
import { RoleFields } from './role-fields.tsx'
import type { GivenRole, Person } from './role-words.ts'

/** What somebody may do from now on. */
export function RolesDialog({ person, onDone, onClose }: { person: Person; onDone(): void; onClose(): void }) {
  const form = useForm<{ roles: readonly GivenRole[] }>(
    { roles: person.roles.length > 0 ? person.roles : [{ appId: null, role: 'viewer' }] },
    {
      submit: async ({ roles }) => {
        await api.put('/admin/v1/admins/{id}/roles', { path: { id: person.id }, body: { roles: [...roles] } })
        toast(`The roles of ${person.name} are changed, also for sessions that are open.`)
        onDone()
      },
    },
  )
  const { roles } = form.values.value
  const flags = roles.flatMap(({ appId, role }) => ['--role', appId === null ? role : `${role}:${appId}`])
  return (
    <Dialog title={`Roles of ${person.name}`} onClose={onClose} isWide>
      <Form
        form={form}
        submitLabel="Change the roles"
        also={
          <AsCommand
            command={command`admins roles ${person.email} ${flags}`}
            call={{ method: 'PUT', path: `/admin/v1/admins/${person.id}/roles`, body: { roles } }}
          />
        }
      >
        <RoleFields {...form.field('roles')} />
      </Form>
    </Dialog>
  )
}
