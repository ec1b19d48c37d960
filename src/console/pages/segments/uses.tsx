import { useGet } from '../../api/load.ts'
import { Reading } from '../../parts/reading.tsx'
import { Card } from '../../parts/surfaces.tsx'

/** A scheduled or running send. */
export interface Send {
  kind: 'notification' | 'in-app message'
  id: number
}

const nameOfSend = ({ kind, id }: Send): string =>
  `${kind === 'notification' ? 'Notification' : 'In-app message'} ${id}`

/** Sends that use a segment: those that are scheduled, and those under way. */
export function Uses({ appId, id }: { appId: number; id: number }) {
  const uses = useGet('/admin/v1/apps/{appId}/segments/{id}/uses', { path: { appId, id } })
  return (
    <Card
      title="Where it is used"
      about="What is scheduled, or in progress. It uses the segment as it is at that time."
    >
      <Reading of={uses} lines={1}>
        {({ sends }) => <SendList sends={sends} />}
      </Reading>
    </Card>
  )
}

export function SendList({ sends }: { sends: readonly Send[] }) {
  if (sends.length === 0) return <p class="quiet">Nothing waits to be sent to it.</p>
  return (
    <ul class="segment-sample">
      {sends.map((send) => (
        <li key={nameOfSend(send)}>{nameOfSend(send)}</li>
      ))}
    </ul>
  )
}
