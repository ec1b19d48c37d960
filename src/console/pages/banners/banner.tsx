import { useSignal } from '@preact/signals'
import { Trash2 } from 'lucide'
import { type Answer, api } from '../../api/client.ts'
import { useLoad } from '../../api/load.ts'
import { Button } from '../../parts/button.tsx'
import { JsonView } from '../../parts/code.tsx'
import { ConfirmDialog, toast } from '../../parts/overlays.tsx'
import { Card, Failed, PageHead, Skeleton } from '../../parts/surfaces.tsx'
import type { PageProps } from '../../shell/page.ts'
import { href, navigate } from '../../shell/router.ts'
import { may } from '../../shell/session.ts'
import { BannerForm } from './banner-form.tsx'
import { BannerView } from './visitor-view.tsx'

type Banner = Answer<'/admin/v1/apps/{appId}/banners/{uuid}'>

/** One banner, to change and to delete. */
export default function BannerPage({ appId, params }: PageProps) {
  const uuid = params['bannerUuid']!
  const path = { appId, uuid }
  const isAsked = useSignal(false)
  const banner = useLoad<Banner>(
    (signal) => api.get('/admin/v1/apps/{appId}/banners/{uuid}', { path, signal }),
    [appId, uuid],
  )
  const now = banner.value.value
  const canWrite = may('campaign', appId)
  return (
    <div class="page">
      <PageHead
        title={now?.labels.heading ?? 'Banner'}
        crumbs={[{ label: 'Banners and prompts', href: href(`/apps/${appId}/banners`) }]}
        actions={
          canWrite &&
          now && (
            <Button icon={Trash2} onClick={() => (isAsked.value = true)}>
              Delete
            </Button>
          )
        }
      />
      {banner.error.value !== undefined ? (
        <Failed error={banner.error.value} retry={banner.reload} />
      ) : now === undefined ? (
        <Skeleton lines={8} />
      ) : canWrite ? (
        <BannerForm appId={appId} banner={now} />
      ) : (
        <div class="banner-editor">
          <Card title="Its file">
            <JsonView value={now} />
          </Card>
          <BannerView position={now.position} labels={now.labels} colors={now.colors} rating={now.appRating} />
        </div>
      )}
      {isAsked.value && (
        <ConfirmDialog
          title="Delete this banner?"
          action="Delete the banner"
          run={async () => {
            await api.delete('/admin/v1/apps/{appId}/banners/{uuid}', { path })
            toast('The banner is deleted.')
            navigate(`/apps/${appId}/banners`)
          }}
          onClose={() => (isAsked.value = false)}
        >
          <p>Browsers that have it already show it for an hour at most. Its link stays.</p>
        </ConfirmDialog>
      )}
    </div>
  )
}
