import { useComputed, useSignal } from '@preact/signals'
import { KeyRound } from 'lucide'
import { useEffect } from 'preact/hooks'
import { call } from '../../api/client.ts'
import { ApiError, messageOf } from '../../api/errors.ts'
import { hasPasskeys, showPasskey } from '../../api/passkeys.ts'
import * as row from '../../forms/rows.ts'
import type { Values } from '../../forms/table.ts'
import { TableForm, useTable } from '../../forms/table-form.tsx'
import { Button } from '../../parts/button.tsx'
import { Note } from '../../parts/surfaces.tsx'
import { pageTitle } from '../../state/page.ts'
import { enter, hasExpired, type Session, serverState } from '../../state/session.ts'
import { DoorPage } from '../setup/door-page.tsx'

/** The code is asked for once the password was right. */
const isStep = (step: string) => (values: Values) => values['step'] === step
const SIGN_IN = row.table<{ email: string; password: string; code: string }>()(
  row.own('step', 'password', { path: '' }),
  row.where(
    isStep('password'),
    row.text('email', 'E-mail', {
      type: 'email',
      autoComplete: 'username',
      autoFocus: true,
      need: 'Enter your e-mail address.',
    }),
    row.password('password', 'Password', { autoComplete: 'current-password', need: 'Enter your password.' }),
  ),
  row.text('code', 'Code', {
    hint: 'Six digits of your authenticator app, or a recovery code.',
    autoComplete: 'one-time-code',
    autoFocus: true,
    isMono: true,
    need: 'Enter the code.',
    when: isStep('code'),
  }),
)

/** Signing in, at whatever address somebody came to. */
export default function SignIn() {
  const isAsking = useSignal(false)
  const state = serverState.value!
  useEffect(() => {
    pageTitle.value = 'Sign in'
  }, [])

  const form = useTable(SIGN_IN, {
    submit: async ({ email, password, code }) => {
      const body = { email: email.trim(), password, ...(code !== '' && { code: code.replaceAll(' ', '') }) }
      try {
        await enter((await call('post', '/admin/v1/sessions', { body })) as Session)
      } catch (error) {
        if (!(error instanceof ApiError) || error.code !== 'second_factor') throw error
        if (needsCode.value)
          throw new ApiError(401, '', '', { code: 'This code is not right. Codes change every 30 seconds.' })
        form.set({ step: 'code' })
      }
    },
  })
  const needsCode = useComputed(() => form.values.value.step === 'code')
  const passkey = async () => {
    isAsking.value = true
    form.problem.value = undefined
    try {
      const response = await showPasskey('/admin/v1/sessions/passkey/options')
      await enter((await call('post', '/admin/v1/sessions/passkey', { body: { response } })) as Session)
    } catch (error) {
      form.problem.value = messageOf(error)
    } finally {
      isAsking.value = false
    }
  }

  if (state.setup) return <NoAdmin />
  return (
    <DoorPage
      title={needsCode.value ? 'Second step' : 'Sign in'}
      about={needsCode.value ? form.values.value.email : 'to the console of this server'}
    >
      {hasExpired.value && <Note title="Your session has ended. What you typed is kept." />}
      <TableForm form={form} submitLabel={needsCode.value ? 'Continue' : 'Sign in'} isBlock />
      {state.passkeys && hasPasskeys() && !needsCode.value && (
        <>
          <div class="or">or</div>
          <Button icon={KeyRound} isBlock isBusy={isAsking.value} onClick={() => void passkey()}>
            Sign in with a passkey
          </Button>
        </>
      )}
      {needsCode.value && (
        <Button tone="bare" onClick={() => form.set({ step: 'password' })}>
          Sign in as somebody else
        </Button>
      )}
    </DoorPage>
  )
}

/** Explains how to make the first owner, while nobody can sign in. */
function NoAdmin() {
  return (
    <DoorPage title="Set this server up" about="Nobody can sign in here yet.">
      <p>
        When it started, the server printed a one-time link on its terminal or in its log. Open that link in this
        browser.
      </p>
      <Note title="Is it gone?">
        <p>
          Run <code>appsvc admins create</code> on the server, or start it again: it prints a new one.
        </p>
      </Note>
    </DoorPage>
  )
}
