import { useEffect } from 'preact/hooks'
import { call } from '../../api/client.ts'
import { Button } from '../../parts/button.tsx'
import { PasswordField, TextField } from '../../parts/field.tsx'
import { Form, useForm } from '../../parts/form.tsx'
import { Note } from '../../parts/surfaces.tsx'
import { pageTitle } from '../../shell/page.ts'
import { href, navigate, place } from '../../shell/router.ts'
import { enter, type Session, serverState } from '../../shell/session.ts'
import { DoorPage } from './door-page.tsx'
import { tokenOf } from './token.ts'

/** The first admin: from the one-time address that the server printed. */
export default function Setup() {
  const token = tokenOf(place.value.hash)
  useEffect(() => {
    pageTitle.value = 'Set this server up'
  }, [])
  const form = useForm(
    { email: '', name: '', password: '' },
    {
      check: ({ email, name, password }) => ({
        email: email.trim() === '' ? 'Enter your e-mail address.' : undefined,
        name: name.trim() === '' ? 'Enter your name.' : undefined,
        password: password === '' ? 'Choose a password.' : undefined,
      }),
      submit: async ({ email, name, password }) => {
        const body = { token, email: email.trim(), name: name.trim(), password }
        const answer = (await call('post', '/admin/v1/setup', { body })) as Session
        serverState.value = { ...serverState.peek()!, setup: false }
        await enter(answer)
        navigate('/', { replace: true })
      },
    },
  )
  if (!serverState.value!.setup) {
    return (
      <DoorPage title="This server is set up">
        <p>The one-time address was used already. Sign in with the account that was made then.</p>
        <Button tone="primary" href={href('/')} isBlock>
          Sign in
        </Button>
      </DoorPage>
    )
  }
  return (
    <DoorPage
      title="Welcome"
      about="Make your account. It owns this server: you can invite others and give them roles."
    >
      {token === undefined && (
        <Note tone="warn" title="This address is not complete. Open the whole one that the server printed." />
      )}
      <Form form={form} submitLabel="Create the account" isBlock isOff={token === undefined}>
        <TextField {...form.field('name')} label="Your name" autoComplete="name" autoFocus />
        <TextField {...form.field('email')} label="E-mail" type="email" autoComplete="username" />
        <PasswordField
          {...form.field('password')}
          label="Password"
          autoComplete="new-password"
          hint="At least 15 characters: four or five words are good."
        />
      </Form>
    </DoorPage>
  )
}
