import { useGet } from '../../api/load.ts'
import { Card, Failed, PageHead, Skeleton } from '../../parts/surfaces.tsx'
import { KeyValues } from '../../parts/values.tsx'
import type { PageProps } from '../../state/page.ts'
import { href } from '../../state/router.ts'
import { may } from '../../state/session.ts'
import { DomainCheck } from './domain-check.tsx'
import { SettingsForm } from './settings-form.tsx'
import type { LinkSettings } from './words.ts'

/** The host of the links, the apps they open, and whether phones find both. */
export default function LinkSettingsPage({ appId }: PageProps) {
  const settings = useGet('/admin/v1/apps/{appId}/link-settings', { path: { appId } })
  const now = settings.value.value
  return (
    <div class="page narrow">
      <PageHead
        title="Link settings"
        crumbs={[{ label: 'Links', href: href(`/apps/${appId}/links`) }]}
        about="Where the links of this app live, and which apps and stores they open."
      />
      {settings.error.value !== undefined ? (
        <Failed error={settings.error.value} retry={settings.reload} />
      ) : now === undefined ? (
        <Skeleton lines={8} />
      ) : may('operate', appId) ? (
        <>
          <DomainCheck appId={appId} settings={now} />
          <Card>
            <SettingsForm appId={appId} settings={now} onSaved={settings.set} />
          </Card>
        </>
      ) : (
        <Card>
          <Shown settings={now} />
        </Card>
      )}
    </div>
  )
}

function Shown({ settings }: { settings: LinkSettings }) {
  return (
    <KeyValues
      items={[
        ['Links begin with', settings.links],
        ['Host name', settings.domain],
        ['Apple team id', settings.iosTeamId],
        ['Bundle ids', settings.iosBundleIds.join(', ')],
        ['App Store', settings.appStoreUrl],
        ['Android package', settings.androidPackage],
        ['Google Play', settings.playStoreUrl],
      ]}
    />
  )
}
