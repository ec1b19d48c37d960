import { PageHead } from '../../parts/surfaces.tsx'
import type { PageProps } from '../../shell/page.ts'
import { href } from '../../shell/router.ts'
import { BannerForm } from './banner-form.tsx'

export default function NewBanner({ appId }: PageProps) {
  return (
    <div class="page">
      <PageHead
        title="New banner"
        crumbs={[{ label: 'Banners and prompts', href: href(`/apps/${appId}/banners`) }]}
        about="Visitors on phones see it. With the app it opens the link there; without it, the store."
      />
      <BannerForm appId={appId} />
    </div>
  )
}
