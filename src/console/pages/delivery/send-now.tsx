import { api } from '../../api/client.ts'
import { AsCommand } from '../../parts/code.tsx'
import { ConfirmDialog, toast } from '../../parts/overlays.tsx'
import { command } from '../../parts/shell-words.ts'
import type { Report } from './words.ts'

interface SendNowProps {
  appId: number
  report: Report
  onSent(): void
  onClose(): void
}

/** Asks whether a scheduled push is to be sent now. */
export function SendNow({ appId, report: { id, title }, onSent, onClose }: SendNowProps) {
  const body = { schedule: null, intelligentDelivery: null }
  return (
    <ConfirmDialog
      title="Send it now?"
      action="Send it now"
      tone="primary"
      run={async () => {
        await api.patch('/admin/v1/apps/{appId}/notifications/{id}', { path: { appId, id }, body })
        toast('It is on its way.')
        onSent()
      }}
      onClose={onClose}
    >
      <p>
        “{title}” goes to all its recipients at once, whatever the clock of each phone says. It cannot be taken back.
      </p>
      <AsCommand
        command={command`schedules send-now --app ${appId} ${id}`}
        call={{ method: 'PATCH', path: `/admin/v1/apps/${appId}/notifications/${id}`, body }}
      />
    </ConfirmDialog>
  )
}
