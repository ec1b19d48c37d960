import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { call } from '../../api/client.ts'
import { ApiError, messageOf } from '../../api/errors.ts'
import * as row from '../../forms/rows.ts'
import { bodyOf } from '../../forms/table.ts'
import { TableForm, useTable } from '../../forms/table-form.tsx'
import { Button } from '../../parts/button.tsx'
import { Note } from '../../parts/surfaces.tsx'
import { pageTitle } from '../../state/page.ts'
import { href, navigate, place } from '../../state/router.ts'
import { enter, type Session } from '../../state/session.ts'
import { DoorPage } from './door-page.tsx'
import { tokenOf } from './token.ts'

const ACCOUNT = row.table<{ name?: string; password: string }>()(
  row.text('name', 'Your name', { autoComplete: 'name', autoFocus: true, empty: 'absent' }),
  row.newPassword('Password', 'Choose a password.'),
)

/** Signing in by a one-time link: of the demo, of an invitation, or after a reset. */
export default function OneTimeLink() {
  const token = tokenOf(place.value.hash)
  const step = useSignal<'entering' | 'account' | 'failed'>(token === undefined ? 'failed' : 'entering')
  const problem = useSignal('This link is not complete. Open the whole one.')
  const go = async (more: { name?: string; password?: string }) => {
    await enter((await call('post', '/admin/v1/sessions/link', { body: { token, ...more } })) as Session)
    navigate('/', { replace: true })
  }
  const form = useTable(ACCOUNT, { submit: (values) => go(bodyOf(ACCOUNT, values)) })
  useEffect(() => {
    pageTitle.value = 'Sign in'
    if (token === undefined) return
    go({}).catch((error: unknown) => {
      if (error instanceof ApiError && 'password' in error.fields) step.value = 'account'
      else {
        problem.value = messageOf(error)
        step.value = 'failed'
      }
    })
  }, [])
  if (step.value === 'entering') {
    return (
      <DoorPage title="Signing you in">
        <span class="spinner" role="status" aria-label="Signing you in" />
      </DoorPage>
    )
  }
  if (step.value === 'failed') {
    return (
      <DoorPage title="This link does not work">
        <Note tone="warn" title={problem.value}>
          <p>A one-time link works once, and only for a while. Ask for a new one.</p>
        </Note>
        <Button href={href('/')} isBlock>
          Sign in with a password
        </Button>
      </DoorPage>
    )
  }
  return (
    <DoorPage title="Welcome" about="Choose the password with which you sign in from now on.">
      <TableForm form={form} submitLabel="Continue" isBlock />
    </DoorPage>
  )
}
