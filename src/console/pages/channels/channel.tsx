import { useSignal } from '@preact/signals'
import { Trash2, UserPlus } from 'lucide'
import { useGet } from '../../api/load.ts'
import { Button } from '../../parts/button.tsx'
import { Reading } from '../../parts/reading.tsx'
import { Badge, PageHead } from '../../parts/surfaces.tsx'
import { Tabs } from '../../parts/tabs.tsx'
import { Stat } from '../../parts/values.tsx'
import type { PageProps } from '../../state/page.ts'
import { href } from '../../state/router.ts'
import { may } from '../../state/session.ts'
import { useCounts } from './counts.ts'
import { DeleteChannel } from './delete.tsx'
import { Files } from './files.tsx'
import { Members } from './members.tsx'
import { type Channel, countText, nameOf, visibilityOf } from './names.ts'
import { Settings } from './settings.tsx'
import { Subscribe } from './subscribe.tsx'

/** A channel: its members, the files that were brought, and its settings. */
export default function ChannelPage({ appId, params }: PageProps) {
  const id = params['channelId']!
  const loaded = useGet('/admin/v1/apps/{appId}/channels/{id}', { path: { appId, id } })
  const channel = loaded.value.value
  if (channel !== undefined) return <Shown key={channel.id} appId={appId} channel={channel} onChange={loaded.set} />
  return (
    <div class="page">
      <PageHead title="Channel" crumbs={[{ label: 'Channels', href: href(`/apps/${appId}/channels`) }]} />
      <Reading of={loaded} lines={6} />
    </div>
  )
}

interface ShownProps {
  appId: number
  channel: Channel
  onChange(channel: Channel): void
}

function Shown({ appId, channel, onChange }: ShownProps) {
  const open = useSignal<'subscribe' | 'delete' | undefined>(undefined)
  /** Counts what changed the members, so that the list is read again. */
  const changes = useSignal(0)
  const loaded = useCounts(appId, [channel.id])
  const counts = loaded.value.value?.get(channel.id)
  const canWrite = may('campaign', appId)
  const onMembers = () => {
    changes.value += 1
    loaded.reload()
  }
  const count = (part: 'users' | 'installs' | 'optedOut') =>
    counts === undefined ? (loaded.isLoading.value ? '…' : 'not counted') : countText(counts[part], counts.isWhole)
  return (
    <div class="page">
      <PageHead
        title={nameOf(channel)}
        crumbs={[{ label: 'Channels', href: href(`/apps/${appId}/channels`) }]}
        about={
          <span class="row">
            <span class="mono">{channel.uuid}</span>
            <Badge>{visibilityOf(channel) === 'public' ? 'everybody sees it' : 'subscribers see it'}</Badge>
            {channel.showInPortal && <Badge tone="accent">offered when composing</Badge>}
            {channel.madeByDevice && <Badge tone="warn">named by a device</Badge>}
          </span>
        }
        actions={
          canWrite && (
            <>
              <Button tone="danger" icon={Trash2} onClick={() => (open.value = 'delete')}>
                Delete
              </Button>
              <Button tone="primary" icon={UserPlus} onClick={() => (open.value = 'subscribe')}>
                Subscribe people
              </Button>
            </>
          )
        }
      />
      <div class="grid stats">
        <Stat label="People" value={count('users')} more="with all of their devices" />
        <Stat label="Single devices" value={count('installs')} more="subscribed themselves" />
        <Stat label="Opted out" value={count('optedOut')} more="devices that do not want it" />
      </div>
      <Tabs
        label="About the channel"
        items={[
          {
            name: 'members',
            label: 'Members',
            panel: () => <Members appId={appId} channel={channel} changes={changes.value} onChange={onMembers} />,
          },
          {
            name: 'files',
            label: 'Import',
            panel: () => <Files appId={appId} channel={channel} onApplied={onMembers} />,
          },
          ...(canWrite
            ? [
                {
                  name: 'settings',
                  label: 'Settings',
                  panel: () => <Settings appId={appId} channel={channel} onSaved={onChange} />,
                },
              ]
            : []),
        ]}
      />
      {open.value === 'subscribe' && (
        <Subscribe appId={appId} channel={channel} onDone={onMembers} onClose={() => (open.value = undefined)} />
      )}
      {open.value === 'delete' && (
        <DeleteChannel appId={appId} channel={channel} counts={counts} onClose={() => (open.value = undefined)} />
      )}
    </div>
  )
}
