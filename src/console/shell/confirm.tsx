import { signal } from '@preact/signals'
import { KeyRound } from 'lucide'
import { call } from '../api/client.ts'
import { ApiError, isCancelled } from '../api/errors.ts'
import { hasPasskeys, showPasskey } from '../api/passkeys.ts'
import { Button } from '../parts/button.tsx'
import { PasswordField, TextField } from '../parts/field.tsx'
import { Form, useForm } from '../parts/form.tsx'
import { Dialog } from '../parts/overlays.tsx'
import { refresh, session } from '../state/session.ts'

/** The request for which the dialog is open. */
const waiting = signal<{ resolve(): void; reject(error: unknown): void } | undefined>(undefined)
let asked: Promise<void> | undefined

/** Asks the person to show again who they are. Resolves when the session is fresh; rejects when they gave up. */
export function askToConfirm(): Promise<void> {
  // Several calls may wait for one answer.
  asked ??= new Promise<void>((resolve, reject) => {
    waiting.value = { resolve, reject }
  }).finally(() => {
    waiting.value = undefined
    asked = undefined
  })
  return asked
}

/** The dialog "Confirm it is you"; the api client opens it. */
export function ConfirmSignIn() {
  const now = waiting.value
  return now ? <ConfirmDialog {...now} /> : null
}

function ConfirmDialog({ resolve, reject }: { resolve(): void; reject(error: unknown): void }) {
  const person = session.value?.person
  const done = async () => {
    await refresh()
    resolve()
  }
  // The owner of a demo came by a one-time link and has nothing yet to show.
  const isFirst = person?.hasPassword === false && person.passkeys === 0
  const form = useForm(
    { password: '', code: '' },
    {
      check: ({ password }) => ({ password: password === '' ? 'Enter your password.' : undefined }),
      submit: async ({ password, code }) => {
        if (isFirst) await call('put', '/admin/v1/me', { body: { password } })
        await call('post', '/admin/v1/session/confirm', { body: { password, ...(code !== '' && { code }) } })
        await done()
      },
    },
  )
  const passkey = async () => {
    try {
      const response = await showPasskey('/admin/v1/session/confirm/options')
      await call('post', '/admin/v1/session/confirm', { body: { response } })
      await done()
    } catch (error) {
      if (!isCancelled(error)) form.problem.value = error instanceof Error ? error.message : String(error)
    }
  }
  const hasPasskey = (person?.passkeys ?? 0) > 0
  const giveUp = () => reject(new ApiError(403, 'This was not done: you did not confirm that it is you.', 'cancelled'))
  return (
    <Dialog title={isFirst ? 'Choose a password' : 'Confirm it is you'} onClose={giveUp}>
      <p class="quiet">
        {isFirst
          ? 'This needs a fresh sign-in, and you have no password yet.'
          : 'This needs a fresh sign-in. You are not asked again for ten minutes.'}
      </p>
      <Form form={form} submitLabel="Confirm" more={<Button onClick={giveUp}>Cancel</Button>}>
        <PasswordField
          {...form.field('password')}
          label={isFirst ? 'New password' : 'Password'}
          autoComplete={isFirst ? 'new-password' : 'current-password'}
          hint={isFirst ? 'At least 15 characters: four or five words are good.' : undefined}
        />
        {person?.hasTotp && (
          <TextField
            {...form.field('code')}
            label="Code"
            hint="Six digits of your authenticator app, or a recovery code."
            autoComplete="one-time-code"
            inputMode="numeric"
          />
        )}
      </Form>
      {hasPasskey && hasPasskeys() && (
        <>
          <div class="or">or</div>
          <Button icon={KeyRound} isBlock onClick={() => void passkey()}>
            Use a passkey
          </Button>
        </>
      )}
    </Dialog>
  )
}
