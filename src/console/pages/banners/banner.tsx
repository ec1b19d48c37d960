import { api } from '../../api/client.ts'
import { useGet } from '../../api/load.ts'
import { Time } from '../../parts/values.tsx'
import type { PageProps } from '../../state/page.ts'
import { BannerForm } from './banner-form.tsx'
import { OnePage } from './one.tsx'
import { BannerView } from './visitor-view.tsx'
import { PLACES } from './words.ts'

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
      view={({ position, labels, colors, appRating, imageUrl }) => (
        <BannerView
          position={position}
          labels={labels}
          colors={colors}
          rating={appRating}
          hasPicture={imageUrl !== undefined}
        />
      )}
      facts={({ link, position, trigger, updated }) => [
        ['Opens', link],
        ['Where', PLACES[position]],
        ['Event of the page', trigger.event],
        ['Changed', <Time key="updated" at={updated} isExact />],
      ]}
    />
  )
}
