import { type Answer, api } from '../../api/client.ts'
import { useLoad } from '../../api/load.ts'
import { Button } from '../../parts/button.tsx'
import { ConfirmDialog, Dialog, toast } from '../../parts/overlays.tsx'
import { Failed, Skeleton } from '../../parts/surfaces.tsx'
import { navigate } from '../../shell/router.ts'
import { SendList } from './uses.tsx'

interface DeleteProps {
  appId: number
  segment: Answer<'/admin/v1/apps/{appId}/segments/{id}'>
  onClose(): void
}

/** Asks before a segment is deleted; says what prevents it. */
export function DeleteSegment({ appId, segment: { id, name }, onClose }: DeleteProps) {
  const path = { appId, id }
  const uses = useLoad((signal) => api.get('/admin/v1/apps/{appId}/segments/{id}/uses', { path, signal }), [appId, id])
  const sends = uses.value.value?.sends
  if (sends === undefined || sends.length > 0) {
    return (
      <Dialog title={`Delete the segment ${name}?`} onClose={onClose}>
        {uses.error.value !== undefined ? (
          <Failed error={uses.error.value} retry={uses.reload} />
        ) : sends === undefined ? (
          <Skeleton lines={2} />
        ) : (
          <div class="stack">
            <p>
              It cannot be deleted yet, because this waits to be sent to it. Cancel it first, or wait until it is sent.
            </p>
            <SendList sends={sends} />
          </div>
        )}
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
