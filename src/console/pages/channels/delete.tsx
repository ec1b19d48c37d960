import { api } from '../../api/client.ts'
import { useGet } from '../../api/load.ts'
import { ConfirmDialog, toast } from '../../parts/overlays.tsx'
import { Reading } from '../../parts/reading.tsx'
import { Note } from '../../parts/surfaces.tsx'
import { href, navigate } from '../../state/router.ts'
import { type Channel, type Counts, countText, hasMembers, nameOf } from './names.ts'

interface DeleteProps {
  appId: number
  channel: Channel
  /** Numbers of subscriptions; undefined until they are counted, and when they could not be counted in time. */
  counts: Counts | undefined
  onClose(): void
}

/** Asks before a channel is deleted, and says what goes with it. */
export function DeleteChannel({ appId, channel, counts, onClose }: DeleteProps) {
  const path = { appId, id: channel.id }
  const uses = useGet('/admin/v1/apps/{appId}/channels/{id}/uses', { path })
  const found = uses.value.value
  const isUsed = found !== undefined && found.segments.length + found.sends.length > 0
  // Unknown counts may be large.
  const isTyped = counts === undefined || hasMembers(counts)
  return (
    <ConfirmDialog
      title={`Delete the channel ${nameOf(channel)}?`}
      action="Delete the channel"
      {...(isTyped && { typed: channel.uuid })}
      run={async () => {
        await api.delete('/admin/v1/apps/{appId}/channels/{id}', { path })
        toast('The channel is deleted.')
        navigate(`/apps/${appId}/channels`)
      }}
      onClose={onClose}
    >
      <p>{consequence(counts)}</p>
      <Reading of={uses} lines={1}>
        {(found) =>
          isUsed && (
            <Note tone="warn" title="It is still used.">
              <ul class="channel-uses">
                {found.segments.map(({ id, name }) => (
                  <li key={`segment ${id}`}>
                    Segment <a href={href(`/apps/${appId}/segments/${id}`)}>{name}</a>: the condition will mean nobody
                  </li>
                ))}
                {found.sends.map(({ kind, id }) => (
                  <li key={`${kind} ${id}`}>
                    {kind === 'notification' ? 'Notification' : 'In-app message'} {id}: it will reach nobody through
                    this channel
                  </li>
                ))}
              </ul>
            </Note>
          )
        }
      </Reading>
      <p>What was sent stays in the reports. This cannot be undone.</p>
    </ConfirmDialog>
  )
}

function consequence(counts: Counts | undefined): string {
  if (counts === undefined) return 'All of its subscriptions are deleted with it.'
  if (!hasMembers(counts)) return 'Nobody is subscribed to it.'
  const { users, installs, optedOut, isWhole } = counts
  const parts = [
    ...(users > 0 ? [`${countText(users, isWhole)} ${users === 1 ? 'user' : 'users'}`] : []),
    ...(installs > 0 ? [`${countText(installs, isWhole)} single ${installs === 1 ? 'device' : 'devices'}`] : []),
    ...(optedOut > 0 ? [`${countText(optedOut, isWhole)} opt-${optedOut === 1 ? 'out' : 'outs'}`] : []),
  ]
  return `It takes along the subscriptions of ${parts.join(', ')}.`
}
