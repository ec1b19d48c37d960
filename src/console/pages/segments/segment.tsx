import { useGet } from '../../api/load.ts'
import { Reading } from '../../parts/reading.tsx'
import { PageHead } from '../../parts/surfaces.tsx'
import type { PageProps } from '../../state/page.ts'
import { href } from '../../state/router.ts'
import { may } from '../../state/session.ts'
import { SegmentEditor } from './editor.tsx'
import { SegmentView } from './view.tsx'

/** A segment: its editor, or its filter in words for people who may not change it. */
export default function Segment({ appId, params }: PageProps) {
  const id = params['segmentId']!
  const loaded = useGet('/admin/v1/apps/{appId}/segments/{id}', { path: { appId, id } })
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
      <Reading of={loaded} lines={6} />
    </div>
  )
}
