import { call } from '../../api/client.ts'
import { PasswordField, TextField } from '../../parts/field.tsx'
import { Form, useForm } from '../../parts/form.tsx'
import { toast } from '../../parts/overlays.tsx'
import { Card } from '../../parts/surfaces.tsx'
import { refresh, session } from '../../shell/session.ts'

/** The name that others see. */
export function Profile() {
  const form = useForm(
    { name: session.value!.person.name },
    {
      check: ({ name }) => ({ name: name.trim() === '' ? 'Enter your name.' : undefined }),
      submit: async ({ name }) => {
        await call('put', '/admin/v1/me', { body: { name: name.trim() } })
        await refresh()
        toast('Your name is changed.')
      },
    },
  )
  return (
    <Card title="Name" about="Others see it beside what you do.">
      <Form form={form} submitLabel="Save the name" tone="plain">
        <TextField {...form.field('name')} label="Your name" autoComplete="name" />
      </Form>
    </Card>
  )
}

/** A new password, or the first one; the other sessions end. */
export function Password() {
  const { hasPassword } = session.value!.person
  const form = useForm(
    { currentPassword: '', password: '' },
    {
      check: ({ currentPassword, password }) => ({
        currentPassword: hasPassword && currentPassword === '' ? 'Enter your password of now.' : undefined,
        password: password === '' ? 'Choose a new password.' : undefined,
      }),
      submit: async ({ currentPassword, password }) => {
        await call('put', '/admin/v1/me', { body: { ...(hasPassword && { currentPassword }), password } })
        await refresh()
        form.reset()
        toast('Your password is changed. You are signed out everywhere else.')
      },
    },
  )
  return (
    <Card title="Password">
      <Form form={form} submitLabel={hasPassword ? 'Change the password' : 'Save the password'} tone="plain">
        {hasPassword && (
          <PasswordField {...form.field('currentPassword')} label="Current password" autoComplete="current-password" />
        )}
        <PasswordField
          {...form.field('password')}
          label="New password"
          autoComplete="new-password"
          hint="At least 15 characters: four or five words are good."
        />
      </Form>
    </Card>
  )
}
