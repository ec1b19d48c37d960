import { useEffect } from 'preact/hooks'
import { call } from '../../api/client.ts'
import * as row from '../../forms/rows.ts'
import { bodyOf } from '../../forms/table.ts'
import { TableForm, useTable } from '../../forms/table-form.tsx'
import { Button } from '../../parts/button.tsx'
import { Note } from '../../parts/surfaces.tsx'
import { pageTitle } from '../../state/page.ts'
import { href, navigate, place } from '../../state/router.ts'
import { enter, type Session, serverState } from '../../state/session.ts'
import { DoorPage } from './door-page.tsx'
import { tokenOf } from './token.ts'

const ACCOUNT = row.table<{ email: string; name: string; password: string }>()(
  row.text('name', 'Your name', { autoComplete: 'name', autoFocus: true, need: 'Enter your name.' }),
  row.text('email', 'E-mail', { type: 'email', autoComplete: 'username', need: 'Enter your e-mail address.' }),
  row.newPassword('Password', 'Choose a password.'),
)

/** The first admin: from the one-time link that the server printed. */
export default function Setup() {
  const token = tokenOf(place.value.hash)
  useEffect(() => {
    pageTitle.value = 'Set this server up'
  }, [])
  const form = useTable(ACCOUNT, {
    submit: async (values) => {
      const body = { token, ...bodyOf(ACCOUNT, values) }
      const answer = (await call('post', '/admin/v1/setup', { body })) as Session
      serverState.value = { ...serverState.peek()!, setup: false }
      await enter(answer)
      navigate('/', { replace: true })
    },
  })
  if (!serverState.value!.setup) {
    return (
      <DoorPage title="This server is set up">
        <p>The one-time link was used already. Sign in with the account that was created then.</p>
        <Button tone="primary" href={href('/')} isBlock>
          Sign in
        </Button>
      </DoorPage>
    )
  }
  return (
    <DoorPage
      title="Welcome"
      about="Create your account. It owns this server: you can invite others and give them roles."
    >
      {token === undefined && (
        <Note tone="warn" title="This link is not complete. Open the whole one that the server printed." />
      )}
      <TableForm form={form} submitLabel="Create the account" isBlock isOff={token === undefined} />
    </DoorPage>
  )
}
