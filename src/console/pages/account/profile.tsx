import { call } from '../../api/client.ts'
import * as row from '../../forms/rows.ts'
import { bodyOf } from '../../forms/table.ts'
import { TableForm, useTable } from '../../forms/table-form.tsx'
import { toast } from '../../parts/overlays.tsx'
import { Card } from '../../parts/surfaces.tsx'
import { refresh, session } from '../../state/session.ts'

const NAME = row.table<{ name: string }>()(
  row.text('name', 'Your name', { autoComplete: 'name', need: 'Enter your name.' }),
)

/** The name that others see. */
export function Profile() {
  const form = useTable(NAME, {
    first: { name: session.value!.person.name },
    submit: async (values) => {
      await call('put', '/admin/v1/me', { body: bodyOf(NAME, values) })
      await refresh()
      toast('Your name is changed.')
    },
  })
  return (
    <Card title="Name" about="Others see it beside what you do.">
      <TableForm form={form} submitLabel="Save the name" tone="plain" />
    </Card>
  )
}

const hasPassword = () => session.value!.person.hasPassword
const PASSWORD = row.table<{ currentPassword: string; password: string }>()(
  row.password('currentPassword', 'Current password', {
    autoComplete: 'current-password',
    need: 'Enter your password of now.',
    when: hasPassword,
  }),
  row.newPassword('New password', 'Choose a new password.'),
)

/** A new password, or the first one; the other sessions end. */
export function Password() {
  const form = useTable(PASSWORD, {
    submit: async (values) => {
      await call('put', '/admin/v1/me', { body: bodyOf(PASSWORD, values) })
      await refresh()
      form.reset()
      toast('Your password is changed. You are signed out everywhere else.')
    },
  })
  return (
    <Card title="Password">
      <TableForm form={form} submitLabel={hasPassword() ? 'Change the password' : 'Save the password'} tone="plain" />
    </Card>
  )
}
