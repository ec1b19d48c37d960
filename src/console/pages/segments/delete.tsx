import { type Answer, api } from '../../api/client.ts'
import { useGet } from '../../api/load.ts'
import { Button } from '../../parts/button.tsx'
import { ConfirmDialog, Dialog, toast } from '../../parts/overlays.tsx'
import { Reading } from '../../parts/reading.tsx'
import { navigate } from '../../state/router.ts'
import { SendList } from './uses.tsx'

interface DeleteProps {
  appId: number
  segment: Answer<'/admin/v1/apps/{appId}/segments/{id}'>
  onClose(): void
}

/** Asks before a segment is deleted; says what prevents it. */
export function DeleteSegment({ appId, segment: { id, name }, onClose }: DeleteProps) {
  const path = { appId, id }
  const uses = useGet('/admin/v1/apps/{appId}/segments/{id}/uses', { path })
  const sends = uses.value.value?.sends
  if (sends === undefined || sends.length > 0) {
    return (
      <Dialog title={`Delete the segment ${name}?`} onClose={onClose}>
        <Reading of={uses} lines={2}>
          {({ sends }) => (
            <div class="stack">
              <p>
                It cannot be deleted yet, because this waits to be sent to it. Cancel it first, or wait until it is
                sent.
              </p>
              <SendList sends={sends} />
            </div>
          )}
        </Reading>
        <div class="dialog-foot">
          <Button onClick={onClose}>Close</Button>
        </div>
      </Dialog>
    )
  }
  return (
    <ConfirmDialog
      title={`Delete the segment ${name}?`}
      action="Delete the segment"
      run={async () => {
        await api.delete('/admin/v1/apps/{appId}/segments/{id}', { path })
        toast('The segment is deleted.')
        navigate(`/apps/${appId}/segments`)
      }}
      onClose={onClose}
    >
      <p>Nobody can send to it any more. Nothing waits to be sent to it; what was sent stays in the reports.</p>
      <p>The people in it are not changed. This cannot be undone.</p>
    </ConfirmDialog>
  )
}
