import { api } from '../../api/client.ts'
import { AsCommand } from '../../parts/code.tsx'
import { TextField } from '../../parts/field.tsx'
import { Form, useForm } from '../../parts/form.tsx'
import { Dialog } from '../../parts/overlays.tsx'
import { command } from '../../parts/shell-words.ts'
import { currentApp } from '../../shell/session.ts'
import { RoleFields } from './role-fields.tsx'
import type { GivenRole } from './role-words.ts'

interface InviteProps {
  onMade(made: { name: string; link: string; expires: string }): void
  onClose(): void
}

interface Values {
  email: string
  name: string
  roles: readonly GivenRole[]
}

/** Adds somebody, who then chooses a password at a one-time address. */
export function Invite({ onMade, onClose }: InviteProps) {
  const form = useForm<Values>(
    { email: '', name: '', roles: [{ appId: currentApp.value?.id ?? null, role: 'viewer' }] },
    {
      check: ({ email, name }) => ({
        email: /^\S+@\S+$/.test(email) ? undefined : 'Write an e-mail address.',
        name: name.trim() === '' ? 'Say what others shall see.' : undefined,
      }),
      submit: async ({ email, name, roles }) => {
        const made = await api.post('/admin/v1/admins', {
          body: { email: email.trim(), name: name.trim(), roles: [...roles] },
        })
        onMade({ name: made.name, link: made.link, expires: made.expires })
      },
    },
  )
  const { email, name, roles } = form.values.value
  const flags = roles.flatMap(({ appId, role }) => ['--role', appId === null ? role : `${role}:${appId}`])
  return (
    <Dialog title="Invite somebody" onClose={onClose} isWide>
      <Form
        form={form}
        submitLabel="Make the invitation"
        also={
          <AsCommand
            command={command`admins create ${email || 'anna@example.com'} ${name ? ['--name', name] : []} ${flags}`}
            call={{ method: 'POST', path: '/admin/v1/admins', body: { email, name, roles } }}
          />
        }
      >
        <TextField
          {...form.field('email')}
          label="E-mail address"
          type="email"
          autoFocus
          hint="It names the account; nothing is sent to it."
        />
        <TextField {...form.field('name')} label="Name" hint="Others see it, also in the audit log." />
        <RoleFields {...form.field('roles')} />
      </Form>
    </Dialog>
  )
}
