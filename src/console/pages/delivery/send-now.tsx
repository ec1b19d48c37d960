import { api } from '../../api/client.ts'
import { AsCommand } from '../../parts/code.tsx'
import { ConfirmDialog, toast } from '../../parts/overlays.tsx'
import { command } from '../../parts/shell-words.ts'

interface SendNowProps {
  appId: number
  of: 'notifications' | 'in-app-messages'
  id: number | string
  title: string
  onSent(): void
  onClose(): void
}

/** Asks whether a scheduled push or in-app message is to be sent now. */
export function SendNow({ appId, of, id, title, onSent, onClose }: SendNowProps) {
  const body = { schedule: null, intelligentDelivery: null }
  const isPush = of === 'notifications'
  return (
    <ConfirmDialog
      title="Send it now?"
      action="Send it now"
      tone="primary"
      run={async () => {
        const call = { path: { appId, id }, body }
        await (isPush
          ? api.patch('/admin/v1/apps/{appId}/notifications/{id}', call)
          : api.patch('/admin/v1/apps/{appId}/in-app-messages/{id}', call))
        toast('It is on its way.')
        onSent()
      }}
      onClose={onClose}
    >
      <p>
        “{title}” goes to all its recipients at once, whatever the clock of each phone says.{' '}
        {isPush ? 'It cannot be taken back.' : 'You can still withdraw it, but not its push.'}
      </p>
      <AsCommand
        command={
          isPush ? command`schedules send-now --app ${appId} ${id}` : command`in-app send-now --app ${appId} ${id}`
        }
        call={{ method: 'PATCH', path: `/admin/v1/apps/${appId}/${of}/${id}`, body }}
      />
    </ConfirmDialog>
  )
}
