import { api } from '../../api/client.ts'
import { useLoad } from '../../api/load.ts'
import { Failed, PageHead, Skeleton } from '../../parts/surfaces.tsx'
import type { PageProps } from '../../shell/page.ts'
import { href } from '../../shell/router.ts'
import { may } from '../../shell/session.ts'
import { SegmentEditor } from './editor.tsx'
import { SegmentView } from './view.tsx'

/** One segment: its editor, or for those who may not change it, what it says. */
export default function Segment({ appId, params }: PageProps) {
  const id = params['segmentId']!
  const loaded = useLoad(
    (signal) => api.get('/admin/v1/apps/{appId}/segments/{id}', { path: { appId, id }, signal }),
    [appId, id],
  )
  const segment = loaded.value.value
  if (segment !== undefined) {
    return may('campaign', appId) ? (
      <SegmentEditor key={segment.id} appId={appId} segment={segment} onSaved={loaded.set} />
    ) : (
      <SegmentView appId={appId} segment={segment} />
    )
  }
  return (
    <div class="page">
      <PageHead title="Segment" crumbs={[{ label: 'Segments', href: href(`/apps/${appId}/segments`) }]} />
      {loaded.error.value === undefined ? (
        <Skeleton lines={6} />
      ) : (
        <Failed error={loaded.error.value} retry={loaded.reload} />
      )}
    </div>
  )
}
