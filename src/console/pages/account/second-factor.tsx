import { useSignal } from '@preact/signals'
import { call } from '../../api/client.ts'
import { messageOf } from '../../api/errors.ts'
import * as row from '../../forms/rows.ts'
import { TableForm, useTable } from '../../forms/table-form.tsx'
import { Button } from '../../parts/button.tsx'
import { ConfirmDialog, Dialog, toast } from '../../parts/overlays.tsx'
import { ShownOnce } from '../../parts/shown-once.tsx'
import { Badge, Card, Note } from '../../parts/surfaces.tsx'
import { Copyable } from '../../parts/values.tsx'
import { refresh, session } from '../../state/session.ts'

interface Offer {
  secret: string
  qrCode: string
}

/** Codes of an authenticator app beside the password. */
export function SecondFactor() {
  const { hasTotp } = session.value!.person
  const offer = useSignal<Offer | undefined>(undefined)
  const isRemoving = useSignal(false)
  const problem = useSignal<string | undefined>(undefined)
  const begin = async () => {
    problem.value = undefined
    try {
      offer.value = (await call('post', '/admin/v1/me/totp', { body: {} })) as Offer
    } catch (error) {
      problem.value = messageOf(error)
    }
  }
  return (
    <Card
      title="Second step"
      about="A code of an authenticator app, beside the password."
      actions={<Badge tone={hasTotp ? 'good' : 'quiet'}>{hasTotp ? 'On' : 'Off'}</Badge>}
    >
      <div class="stack">
        <div class="row">
          {hasTotp ? (
            <Button onClick={() => (isRemoving.value = true)}>Turn it off</Button>
          ) : (
            <Button onClick={() => begin()}>Turn it on</Button>
          )}
        </div>
        {problem.value !== undefined && <Note tone="bad" title={problem.value} />}
      </div>
      {offer.value && <TurnOn offer={offer.value} onClose={() => (offer.value = undefined)} />}
      {isRemoving.value && (
        <ConfirmDialog
          title="Turn the second step off?"
          action="Turn it off"
          run={async () => {
            await call('delete', '/admin/v1/me/totp')
            await refresh()
            toast('The second step is off.')
          }}
          onClose={() => (isRemoving.value = false)}
        >
          <p>From then on your password alone signs you in. The recovery codes stop working.</p>
        </ConfirmDialog>
      )}
    </Card>
  )
}

const CODE = row.table<{ code: string }>()(
  row.text('code', 'Code of the app', {
    inputMode: 'numeric',
    autoComplete: 'one-time-code',
    isMono: true,
    need: 'Enter the six digits.',
  }),
)

function TurnOn({ offer, onClose }: { offer: Offer; onClose(): void }) {
  const codes = useSignal<readonly string[] | undefined>(undefined)
  const form = useTable(CODE, {
    submit: async ({ code }) => {
      const body = { code: code.replaceAll(' ', '') }
      const { recoveryCodes } = (await call('put', '/admin/v1/me/totp', { body })) as { recoveryCodes: string[] }
      codes.value = recoveryCodes
      await refresh()
    },
  })
  if (codes.value) {
    return (
      <ShownOnce
        title="Keep these recovery codes"
        value={codes.value.join('\n')}
        warning="Without them and without your phone, only an owner can let you in."
        about="Each signs you in once when your phone is not at hand."
        file="recovery-codes.txt"
        onClose={onClose}
      />
    )
  }
  return (
    <Dialog title="Turn the second step on" onClose={onClose}>
      <p>Scan this with an authenticator app, or type the key into it.</p>
      <img class="qr" src={offer.qrCode} alt="QR code for the authenticator app" />
      <Copyable text={offer.secret} />
      <TableForm form={form} submitLabel="Turn it on" cancel={onClose} />
    </Dialog>
  )
}
