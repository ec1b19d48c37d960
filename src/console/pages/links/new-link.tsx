import { useGet } from '../../api/load.ts'
import { Card, PageHead } from '../../parts/surfaces.tsx'
import type { PageProps } from '../../state/page.ts'
import { href } from '../../state/router.ts'
import { LinkForm } from './link-form.tsx'

export default function NewLink({ appId }: PageProps) {
  const settings = useGet('/admin/v1/apps/{appId}/link-settings', { path: { appId } })
  return (
    <div class="page narrow">
      <PageHead
        title="New link"
        crumbs={[{ label: 'Links', href: href(`/apps/${appId}/links`) }]}
        about="Phones with the app open it. iPhones and Android phones without it are led to their store, if the link settings name it."
      />
      <Card>
        <LinkForm appId={appId} base={settings.value.value?.links} />
      </Card>
    </div>
  )
}
