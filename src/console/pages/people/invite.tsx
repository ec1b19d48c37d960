import { asked, type Body } from '../../api/client.ts'
import * as row from '../../forms/rows.ts'
import { TableForm, useTable } from '../../forms/table-form.tsx'
import { Dialog } from '../../parts/overlays.tsx'
import { command } from '../../parts/shell-words.ts'
import { currentApp } from '../../state/session.ts'
import { RoleFields } from './role-fields.tsx'
import { type GivenRole, roleFlags } from './role-words.ts'

interface InviteProps {
  onMade(made: { name: string; link: string; expires: string }): void
  onClose(): void
}

const PERSON = row.table<Body<'/admin/v1/admins', 'post'>>()(
  row.text('email', 'E-mail address', {
    type: 'email',
    autoFocus: true,
    sample: 'anna@example.com',
    hint: 'It names the account; nothing is sent to it.',
    check: (email) => (/^\S+@\S+$/.test(email) ? undefined : 'Write an e-mail address.'),
  }),
  row.text('name', 'Name', {
    flag: 'name',
    hint: 'Others see it, also in the audit log.',
    need: 'Say what others shall see.',
  }),
  row.own('roles', [] as readonly GivenRole[]),
)

/** Adds somebody, who then chooses a password at a one-time link. */
export function Invite({ onMade, onClose }: InviteProps) {
  const form = useTable(PERSON, {
    first: { roles: [{ appId: currentApp.value?.id ?? null, role: 'viewer' }] },
    call: (body) => asked('post', '/admin/v1/admins', { body }),
    done: onMade,
  })
  const { email, roles } = form.shown
  return (
    <Dialog title="Invite somebody" onClose={onClose} isWide>
      <TableForm
        form={form}
        submitLabel="Create the invitation"
        command={command`admins create ${email.trim()} ${form.flags} ${roleFlags(roles)}`}
        extras={{ roles: () => <RoleFields {...form.field('roles')} /> }}
      />
    </Dialog>
  )
}
