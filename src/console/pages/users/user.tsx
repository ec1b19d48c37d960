import { useSignal } from '@preact/signals'
import { Download, Send, Trash2 } from 'lucide'
import { useGet } from '../../api/load.ts'
import { Button } from '../../parts/button.tsx'
import { Menu } from '../../parts/overlays.tsx'
import { Reading } from '../../parts/reading.tsx'
import { Badge, PageHead } from '../../parts/surfaces.tsx'
import { Tabs } from '../../parts/tabs.tsx'
import { Stat, Time } from '../../parts/values.tsx'
import type { PageProps } from '../../state/page.ts'
import { href } from '../../state/router.ts'
import { may } from '../../state/session.ts'
import { Attributes } from './attributes.tsx'
import { Channels } from './channels.tsx'
import { Consent } from './consent.tsx'
import { EraseDialog } from './erase.tsx'
import { ExportDialog } from './export.tsx'
import { Installs } from './installs.tsx'
import { TestDialog } from './test-push.tsx'
import { TimelineView } from './timeline.tsx'
import type { Profile, UserProps } from './types.ts'
import { Why } from './why.tsx'

/** A user: their profile, their timeline, and an explanation of why a notification did not reach them. */
export default function User({ appId, params }: PageProps) {
  const { profileId = '' } = params
  const loaded = useGet('/admin/v1/apps/{appId}/profiles/{profileId}', { path: { appId, profileId } })
  const profile = loaded.value.value
  const crumbs = [{ label: 'Users', href: href(`/apps/${appId}/users`) }]
  if (loaded.error.value !== undefined || profile === undefined) {
    return (
      <div class="page">
        <PageHead title="User" crumbs={crumbs} />
        <Reading of={loaded} lines={6} />
      </div>
    )
  }
  const props: UserProps = { appId, profile, reload: loaded.reload }
  return (
    <div class="page">
      <PageHead
        title={profile.identifier}
        crumbs={crumbs}
        about={profile.known ? undefined : 'Nobody has signed in on this device: it is known by the id of its install.'}
        actions={<Actions {...props} />}
      />
      <Facts profile={profile} />
      <Tabs
        label="About this user"
        items={[
          { name: 'overview', label: 'Overview', panel: () => <Overview {...props} /> },
          { name: 'timeline', label: 'Timeline', panel: () => <TimelineView {...props} /> },
          { name: 'why', label: 'Why no push?', panel: () => <Why {...props} /> },
        ]}
      />
    </div>
  )
}

function Facts({ profile }: { profile: Profile }) {
  const ready = profile.installs.filter(({ push }) => push.state === 'ready').length
  return (
    <div class="grid stats user-facts">
      <Stat
        label="Push"
        value={
          profile.suppression ? (
            <Badge tone="warn">suppressed</Badge>
          ) : ready > 0 ? (
            <Badge tone="good">reachable</Badge>
          ) : (
            <Badge>not reachable</Badge>
          )
        }
        more={
          profile.installs.length === 0
            ? 'no device'
            : `${ready} of ${profile.installs.length} ${profile.installs.length === 1 ? 'device' : 'devices'}`
        }
      />
      <Stat label="In-app messages" value={profile.inAppEnabled ? 'On' : 'Off'} />
      <Stat label="Last active" value={<Time at={profile.lastActive} />} />
      <Stat label="First seen" value={<Time at={profile.firstActive} />} />
    </div>
  )
}

function Overview(props: UserProps) {
  return (
    <div class="user-columns">
      <div class="stack">
        <Installs {...props} />
        <Channels {...props} />
      </div>
      <div class="stack">
        <Attributes {...props} />
        <Consent {...props} />
      </div>
    </div>
  )
}

type Open = 'test' | 'export' | 'erase' | undefined

function Actions(props: UserProps) {
  const open = useSignal<Open>(undefined)
  const { appId } = props
  const close = () => void (open.value = undefined)
  const mayOperate = may('operate', appId)
  return (
    <>
      {may('campaign', appId) && (
        <Button icon={Send} onClick={() => void (open.value = 'test')}>
          Send a test
        </Button>
      )}
      {mayOperate && (
        <Menu
          label="More"
          items={[
            { label: 'Export everything', icon: Download, run: () => void (open.value = 'export') },
            {
              label: 'Erase this user',
              icon: Trash2,
              tone: 'danger',
              isApart: true,
              run: () => void (open.value = 'erase'),
            },
          ]}
        />
      )}
      {open.value === 'test' && <TestDialog {...props} onClose={close} />}
      {open.value === 'export' && <ExportDialog {...props} onClose={close} />}
      {open.value === 'erase' && <EraseDialog {...props} onClose={close} />}
    </>
  )
}
