import { Plus, Tags } from 'lucide'
import { usePages } from '../../api/load.ts'
import { Button } from '../../parts/button.tsx'
import { Badge, Card, PageHead } from '../../parts/surfaces.tsx'
import { ListTable } from '../../parts/table.tsx'
import { Time } from '../../parts/values.tsx'
import type { PageProps } from '../../state/page.ts'
import { href } from '../../state/router.ts'
import { may } from '../../state/session.ts'
import { useCounts } from './counts.ts'
import { countText, nameOf, visibilityOf } from './names.ts'

/** The channels of an app, with their counts. */
export default function Channels({ appId }: PageProps) {
  const list = usePages('/admin/v1/apps/{appId}/channels', { path: { appId } }, 'channels')
  const channels = list.value.value ?? []
  const counts = useCounts(
    appId,
    channels.map(({ id }) => id),
  )
  const canWrite = may('campaign', appId)
  const makes = (
    <Button tone="primary" icon={Plus} href={href(`/apps/${appId}/channels/new`)}>
      New channel
    </Button>
  )
  const count = (id: number, part: 'users' | 'installs') => {
    const found = counts.value.value?.get(id)
    if (found) return <span class="number">{countText(found[part], found.isWhole)}</span>
    return counts.isLoading.value ? <span class="quiet">…</span> : <span class="quiet">not counted</span>
  }
  return (
    <div class="page">
      <PageHead
        title="Channels"
        about="Topics that people subscribe to. A push to a channel reaches everybody who is subscribed when it is sent."
        actions={canWrite && list.value.value?.length !== 0 && makes}
      />
      <Card isFlush>
        <ListTable
          label="Channels"
          list={list}
          keyOf={({ id }) => id}
          empty={{
            icon: Tags,
            title: 'No channels yet',
            about: 'Create one, such as News. People subscribe in the app, or you bring a file of subscribers.',
            action: canWrite && makes,
          }}
          columns={[
            {
              title: 'Name',
              cell: (channel) => (
                <span class="channel-name">
                  <a class="cell-link" href={href(`/apps/${appId}/channels/${channel.id}`)}>
                    {nameOf(channel)}
                  </a>
                  {channel.name !== null && <span class="quiet mono small-text">{channel.uuid}</span>}
                </span>
              ),
            },
            { title: 'People', cell: ({ id }) => count(id, 'users'), isNumeric: true },
            { title: 'Single devices', cell: ({ id }) => count(id, 'installs'), isNumeric: true },
            {
              title: 'In the app',
              isMinor: true,
              cell: (channel) => (visibilityOf(channel) === 'public' ? 'everybody sees it' : 'subscribers see it'),
            },
            {
              title: 'When composing',
              isMinor: true,
              cell: ({ showInPortal }) =>
                showInPortal ? <Badge tone="accent">offered</Badge> : <span class="quiet">not offered</span>,
            },
            { title: 'Created', cell: ({ createdAt }) => <Time at={createdAt} />, isTight: true },
          ]}
        />
      </Card>
    </div>
  )
}
