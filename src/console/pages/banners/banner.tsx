import { api } from '../../api/client.ts'
import { useGet } from '../../api/load.ts'
import { JsonView } from '../../parts/code.tsx'
import { Card } from '../../parts/surfaces.tsx'
import type { PageProps } from '../../state/page.ts'
import { BannerForm } from './banner-form.tsx'
import { OnePage } from './one.tsx'
import { BannerView } from './visitor-view.tsx'

const BANNER = '/admin/v1/apps/{appId}/banners/{uuid}'

/** A banner, to change and to delete. */
export default function BannerPage({ appId, params }: PageProps) {
  const uuid = params['bannerUuid']!
  const path = { appId, uuid }
  const banner = useGet(BANNER, { path })
  return (
    <OnePage
      appId={appId}
      of={banner}
      title={banner.value.value?.labels.heading ?? 'Banner'}
      what="banner"
      stays="Its link stays."
      remove={() => api.delete(BANNER, { path })}
      form={(now) => <BannerForm appId={appId} banner={now} />}
      shown={(now) => (
        <div class="banner-editor">
          <Card title="Its file">
            <JsonView value={now} />
          </Card>
          <BannerView position={now.position} labels={now.labels} colors={now.colors} rating={now.appRating} />
        </div>
      )}
    />
  )
}
