import { useSignal } from '@preact/signals'
import { KeyRound, Plus } from 'lucide'
import { api } from '../../api/client.ts'
import { messageOf } from '../../api/errors.ts'
import { usePages } from '../../api/load.ts'
import { hasPasskeys, makePasskey } from '../../api/passkeys.ts'
import * as row from '../../forms/rows.ts'
import { TableForm, useTable } from '../../forms/table-form.tsx'
import { Button } from '../../parts/button.tsx'
import { ConfirmDialog, Dialog, toast } from '../../parts/overlays.tsx'
import { Card, Note } from '../../parts/surfaces.tsx'
import { ListTable } from '../../parts/table.tsx'
import { Time } from '../../parts/values.tsx'
import { refresh, serverState } from '../../state/session.ts'

interface Passkey {
  id: number
  name: string
  created: string
  used: string | null
}

/** Devices that sign one in without a password. */
export function Passkeys() {
  const list = usePages('/admin/v1/me/passkeys', {}, 'items')
  const isAdding = useSignal(false)
  const removing = useSignal<Passkey | undefined>(undefined)
  const canAdd = hasPasskeys() && serverState.value!.passkeys
  return (
    <Card
      title="Passkeys"
      about="Sign in with the fingerprint, face or PIN of a device. The password stays, for when it is lost."
      isFlush
      actions={
        canAdd && (
          <Button size="small" icon={Plus} onClick={() => (isAdding.value = true)}>
            Add a passkey
          </Button>
        )
      }
    >
      {!canAdd && (
        <div class="flush-part">
          <Note
            title={
              hasPasskeys()
                ? `Passkeys work at the address of this server${serverState.value!.baseUrl === '' ? ', which baseUrl must name' : `: ${serverState.value!.baseUrl}`}.`
                : 'This browser has no passkeys at this address: they need HTTPS.'
            }
          />
        </div>
      )}
      {(canAdd || (list.value.value ?? []).length > 0) && (
        <ListTable
          label="Passkeys"
          list={list}
          keyOf={({ id }) => id}
          empty={{ icon: KeyRound, title: 'No passkeys yet' }}
          columns={[
            { title: 'Name', cell: ({ name }) => name },
            { title: 'Added', cell: ({ created }) => <Time at={created} />, isTight: true },
            { title: 'Last used', cell: ({ used }) => <Time at={used} />, isTight: true },
            {
              title: '',
              isTight: true,
              cell: (passkey) => (
                <Button size="small" onClick={() => (removing.value = passkey)}>
                  Remove
                </Button>
              ),
            },
          ]}
        />
      )}
      {isAdding.value && (
        <AddPasskey
          onClose={() => (isAdding.value = false)}
          onAdded={() => {
            isAdding.value = false
            list.reload()
          }}
        />
      )}
      {removing.value && (
        <ConfirmDialog
          title={`Remove the passkey ${removing.value.name}?`}
          action="Remove the passkey"
          run={async () => {
            await api.delete('/admin/v1/me/passkeys/{id}', { path: { id: removing.value!.id } })
            list.reload()
            await refresh()
            toast('The passkey is removed.')
          }}
          onClose={() => (removing.value = undefined)}
        >
          <p>It does not sign you in any more. Remove it from the device too.</p>
        </ConfirmDialog>
      )}
    </Card>
  )
}

const NAME = row.table<{ name: string }>()(
  row.text('name', 'Name', {
    hint: "The device that keeps it: Anna's phone.",
    autoFocus: true,
    need: 'Name it after the device.',
  }),
)

function AddPasskey({ onClose, onAdded }: { onClose(): void; onAdded(): void }) {
  const form = useTable(NAME, {
    submit: async ({ name }) => {
      const response = await makePasskey('/admin/v1/me/passkeys/options')
      await api.post('/admin/v1/me/passkeys', { body: { name: name.trim(), response: response as never } })
      await refresh().catch((error: unknown) => toast(messageOf(error)))
      toast('The passkey is there.')
      onAdded()
    },
  })
  return (
    <Dialog title="Add a passkey" onClose={onClose}>
      <TableForm form={form} submitLabel="Continue" cancel={onClose} />
    </Dialog>
  )
}
