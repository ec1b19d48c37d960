import { useSignal } from '@preact/signals'
import { Users } from 'lucide'
import { useEffect } from 'preact/hooks'
import { type Answer, api } from '../../api/client.ts'
import { useList } from '../../api/load.ts'
import { Button } from '../../parts/button.tsx'
import { SearchField } from '../../parts/field.tsx'
import { ConfirmDialog, toast } from '../../parts/overlays.tsx'
import { Badge, Card, Note } from '../../parts/surfaces.tsx'
import { ListTable } from '../../parts/table.tsx'
import { may } from '../../state/session.ts'
import { type Channel, nameOf } from './names.ts'

type Member = Answer<'/admin/v1/apps/{appId}/channels/{uuid}/subscriptions'>['subscriptions'][number]

interface MembersProps {
  appId: number
  channel: Channel
  /** Goes up when somebody joined or left. */
  changes: number
  onChange(): void
}

const PAUSE_MS = 200
const whoIs = ({ userId, installId }: Member): string => installId ?? userId

/** Members of a channel and people who opted out, page by page. */
export function Members({ appId, channel, changes, onChange }: MembersProps) {
  const { uuid } = channel
  const typed = useSignal('')
  const q = useSignal('')
  const isCut = useSignal(false)
  const leaving = useSignal<Member | undefined>(undefined)
  const canWrite = may('campaign', appId)
  useEffect(() => {
    const timer = setTimeout(() => (q.value = typed.value.trim()), PAUSE_MS)
    return () => clearTimeout(timer)
  }, [typed.value])
  const list = useList<Member>(
    async (after, signal) => {
      const path = { appId, uuid }
      if (q.peek() !== '') {
        const query = { q: q.peek() }
        const found = await api.get('/admin/v1/apps/{appId}/channels/{uuid}/members', { path, query, signal })
        isCut.value = !found.isWhole
        return { items: found.subscriptions, next: null }
      }
      isCut.value = false
      const query = { after: after as string | undefined }
      const page = await api.get('/admin/v1/apps/{appId}/channels/{uuid}/subscriptions', { path, query, signal })
      return { items: page.subscriptions, next: page.next }
    },
    [appId, uuid, q.value, changes],
  )
  return (
    <div class="stack">
      {canWrite && <SearchField label="Search members" value={typed.value} onChange={(text) => (typed.value = text)} />}
      {isCut.value && (
        <Note title="Many identifiers begin like this, and only the first 200 were looked at. Write more of it." />
      )}
      <Card isFlush>
        <ListTable
          label="Members"
          list={list}
          keyOf={({ userId, installId }) => `${userId} ${installId ?? ''}`}
          empty={
            q.value === ''
              ? {
                  icon: Users,
                  title: 'Nobody is subscribed yet',
                  about: 'People subscribe in the app. You can also subscribe them here, or bring a file.',
                }
              : {
                  icon: Users,
                  title: 'Nobody found',
                  about: 'Write how the identifier of a user begins, or a whole install id. Capitals matter.',
                }
          }
          columns={[
            { title: 'User', cell: ({ userId }) => <span class="channel-who">{userId}</span> },
            {
              title: 'Devices',
              cell: ({ installId }) =>
                installId === null ? 'all of them' : <span class="mono channel-who">{installId}</span>,
            },
            {
              title: 'State',
              cell: ({ subscribed }) =>
                subscribed ? <Badge tone="good">subscribed</Badge> : <Badge tone="quiet">opted out</Badge>,
            },
            ...(canWrite
              ? [
                  {
                    title: '',
                    isTight: true,
                    cell: (member: Member) =>
                      member.subscribed && (
                        <Button size="small" onClick={() => (leaving.value = member)}>
                          Unsubscribe <span class="hidden">{whoIs(member)}</span>
                        </Button>
                      ),
                  },
                ]
              : []),
          ]}
        />
      </Card>
      {leaving.value && (
        <ConfirmDialog
          title={`Unsubscribe ${whoIs(leaving.value)}?`}
          action="Unsubscribe"
          run={async () => {
            const { userId, installId } = leaving.value!
            await api.delete('/admin/v1/apps/{appId}/channels/{uuid}/subscriptions', {
              path: { appId, uuid },
              body: installId === null ? { userIds: [userId] } : { installIds: [installId] },
            })
            toast(`${whoIs(leaving.value!)} is not subscribed any more.`)
            onChange()
          }}
          onClose={() => (leaving.value = undefined)}
        >
          <p>
            {leaving.value.installId === null
              ? `No device of this user gets pushes to ${nameOf(channel)} any more, even those that are subscribed themselves.`
              : `This device does not get pushes to ${nameOf(channel)} any more, even if its user is subscribed.`}
          </p>
          <p>They can subscribe again at any time.</p>
        </ConfirmDialog>
      )}
    </div>
  )
}
