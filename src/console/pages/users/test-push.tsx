import { asked } from '../../api/client.ts'
import * as row from '../../forms/rows.ts'
import { TableForm, useTable } from '../../forms/table-form.tsx'
import { Dialog, toast } from '../../parts/overlays.tsx'
import { Note } from '../../parts/surfaces.tsx'
import { setQuery } from '../../state/router.ts'
import type { Push } from '../push/draft.ts'
import type { UserProps } from './types.ts'

const TEST = row.table<Pick<Push, 'content'>>()(
  row.text('content.title', 'Title', { first: 'Test', isAsTyped: true }),
  row.area('content.message', 'Message', { first: 'This is a test push.' }),
)

/** Sends one push to this person alone, and leads to what became of it. */
export function TestDialog({ appId, profile, onClose }: UserProps & { onClose(): void }) {
  const canReach = profile.installs.some(({ push }) => push.state === 'ready')
  const form = useTable(TEST, {
    call: (body) =>
      asked('post', '/admin/v1/apps/{appId}/notifications', {
        path: { appId },
        body: { target: { userIds: [profile.identifier] }, ...body, isTest: true },
      }),
    done({ notification }) {
      onClose()
      toast('The test push is on its way.')
      if (notification) setQuery({ tab: 'why', notification: String(notification.id) })
    },
  })
  return (
    <Dialog title="Send a test push" onClose={onClose}>
      <TableForm
        form={form}
        submitLabel="Send it to this user"
        isOff={!canReach}
        cancel={onClose}
        lead={
          !canReach && (
            <Note tone="warn" title="No device of this user gets pushes now.">
              <span>The card “Device” says why.</span>
            </Note>
          )
        }
      />
    </Dialog>
  )
}
