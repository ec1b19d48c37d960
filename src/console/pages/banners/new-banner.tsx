import { PageHead } from '../../parts/surfaces.tsx'
import type { PageProps } from '../../state/page.ts'
import { BannerForm } from './banner-form.tsx'
import { crumbs } from './one.tsx'

export default function NewBanner({ appId }: PageProps) {
  return (
    <div class="page">
      <PageHead
        title="New banner"
        crumbs={crumbs(appId)}
        about="Visitors on phones see it. With the app it opens the link there; without it, the store."
      />
      <BannerForm appId={appId} />
    </div>
  )
}
