import { asked, type Body } from '../../api/client.ts'
import * as row from '../../forms/rows.ts'
import { TableForm, useTable } from '../../forms/table-form.tsx'
import { Dialog, toast } from '../../parts/overlays.tsx'
import { command } from '../../parts/shell-words.ts'
import { RoleFields } from './role-fields.tsx'
import { type GivenRole, type Person, roleFlags } from './role-words.ts'

const ROLES = row.table<Body<'/admin/v1/admins/{id}/roles', 'put'>>()(
  row.own('roles', [{ appId: null, role: 'viewer' }] as readonly GivenRole[]),
)

/** Changes the roles of a person. */
export function RolesDialog({ person, onDone, onClose }: { person: Person; onDone(): void; onClose(): void }) {
  const form = useTable(ROLES, {
    ...(person.roles.length > 0 && { first: { roles: person.roles } }),
    call: (body) => asked('put', '/admin/v1/admins/{id}/roles', { path: { id: person.id }, body }),
    done() {
      toast(`The roles of ${person.name} are changed, also for sessions that are open.`)
      onDone()
    },
  })
  return (
    <Dialog title={`Roles of ${person.name}`} onClose={onClose} isWide>
      <TableForm
        form={form}
        submitLabel="Change the roles"
        command={command`admins roles ${person.email} ${roleFlags(form.values.value.roles)}`}
        extras={{ roles: () => <RoleFields {...form.field('roles')} /> }}
      />
    </Dialog>
  )
}
