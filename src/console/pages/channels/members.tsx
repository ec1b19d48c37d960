import { useSignal } from '@preact/signals'
import { Users } from 'lucide'
import { useEffect } from 'preact/hooks'
import { type Answer, api } from '../../api/client.ts'
import { useList } from '../../api/load.ts'
import { Button } from '../../parts/button.tsx'
import { SearchField } from '../../parts/field.tsx'
import { ConfirmDialog, toast } from '../../parts/overlays.tsx'
import { Badge, Card, Note } from '../../parts/surfaces.tsx'
import { type Column, ListTable } from '../../parts/table.tsx'
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

const MEMBERS = '/admin/v1/apps/{appId}/channels/{uuid}'
const PAUSE_MS = 200
const whoIs = ({ userId, installId }: Member): string => installId ?? userId

/** Reads the members page by page, or those whom `q` finds. `isCut`: more identifiers begin like this than were looked at. */
function useMembers(appId: number, uuid: string, q: string, changes: number) {
  const isCut = useSignal(false)
  const list = useList<Member>(
    async (after, signal) => {
      const path = { appId, uuid }
      if (q !== '') {
        const found = await api.get(`${MEMBERS}/members`, { path, query: { q }, signal })
        isCut.value = !found.isWhole
        return { items: found.subscriptions, next: null }
      }
      isCut.value = false
      const query = { after: after as string | undefined }
      const page = await api.get(`${MEMBERS}/subscriptions`, { path, query, signal })
      return { items: page.subscriptions, next: page.next }
    },
    [appId, uuid, q, changes],
  )
  return { list, isCut }
}

/** Members of a channel and people who opted out, page by page. */
export function Members({ appId, channel, changes, onChange }: MembersProps) {
  const typed = useSignal('')
  const q = useSignal('')
  const leaving = useSignal<Member | undefined>(undefined)
  const canWrite = may('campaign', appId)
  useEffect(() => {
    const timer = setTimeout(() => (q.value = typed.value.trim()), PAUSE_MS)
    return () => clearTimeout(timer)
  }, [typed.value])
  const { list, isCut } = useMembers(appId, channel.uuid, q.value, changes)
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
          empty={q.value === '' ? NO_MEMBERS : NOBODY_FOUND}
          columns={columnsFor(canWrite ? (member) => (leaving.value = member) : undefined)}
        />
      </Card>
      {leaving.value && (
        <Unsubscribe
          appId={appId}
          channel={channel}
          member={leaving.value}
          onDone={onChange}
          onClose={() => (leaving.value = undefined)}
        />
      )}
    </div>
  )
}

const NO_MEMBERS = {
  icon: Users,
  title: 'Nobody is subscribed yet',
  about: 'People subscribe in the app. You can also subscribe them here, or bring a file.',
}
const NOBODY_FOUND = {
  icon: Users,
  title: 'Nobody found',
  about: 'Write how the identifier of a user begins, or a whole install id. Capitals matter.',
}

/** Columns of the list; without `leave` there are no buttons. */
const columnsFor = (leave: ((member: Member) => void) | undefined): Column<Member>[] => [
  { title: 'User', cell: ({ userId }) => <span class="channel-who">{userId}</span> },
  {
    title: 'Devices',
    cell: ({ installId }) => (installId === null ? 'all of them' : <span class="mono channel-who">{installId}</span>),
  },
  {
    title: 'State',
    cell: ({ subscribed }) =>
      subscribed ? <Badge tone="good">subscribed</Badge> : <Badge tone="quiet">opted out</Badge>,
  },
  ...(leave
    ? [
        {
          title: '',
          isTight: true,
          cell: (member: Member) =>
            member.subscribed && (
              <Button size="small" onClick={() => leave(member)}>
                Unsubscribe <span class="hidden">{whoIs(member)}</span>
              </Button>
            ),
        },
      ]
    : []),
]

interface UnsubscribeProps {
  appId: number
  channel: Channel
  member: Member
  onDone(): void
  onClose(): void
}

function Unsubscribe({ appId, channel, member, onDone, onClose }: UnsubscribeProps) {
  const { userId, installId } = member
  return (
    <ConfirmDialog
      title={`Unsubscribe ${whoIs(member)}?`}
      action="Unsubscribe"
      run={async () => {
        await api.delete(`${MEMBERS}/subscriptions`, {
          path: { appId, uuid: channel.uuid },
          body: installId === null ? { userIds: [userId] } : { installIds: [installId] },
        })
        toast(`${whoIs(member)} is not subscribed any more.`)
        onDone()
      }}
      onClose={onClose}
    >
      <p>
        {installId === null
          ? `No device of this user gets pushes to ${nameOf(channel)} any more, even those that are subscribed themselves.`
          : `This device does not get pushes to ${nameOf(channel)} any more, even if its user is subscribed.`}
      </p>
      <p>They can subscribe again at any time.</p>
    </ConfirmDialog>
  )
}
