import { type Answer } from '../../api/client.ts'
import { useGet } from '../../api/load.ts'
import { JsonView } from '../../parts/code.tsx'
import { formatNumber } from '../../parts/numbers.ts'
import { Reading } from '../../parts/reading.tsx'
import { Card, PageHead } from '../../parts/surfaces.tsx'
import { More } from '../../parts/values.tsx'
import { href } from '../../state/router.ts'
import { wordsOf } from './filter.ts'
import { Uses } from './uses.tsx'

interface ViewProps {
  appId: number
  segment: Answer<'/admin/v1/apps/{appId}/segments/{id}'>
}

/** A segment for those who see and do not change. */
export function SegmentView({ appId, segment: { id, name, filter } }: ViewProps) {
  const preview = useGet('/admin/v1/apps/{appId}/segments/{id}/preview', { path: { appId, id } })
  return (
    <div class="page">
      <PageHead title={name} crumbs={[{ label: 'Segments', href: href(`/apps/${appId}/segments`) }]} />
      <Card title="Who is meant">
        <div class="stack">
          <p>{wordsOf(filter)}</p>
          <More label="As JSON">
            <JsonView value={filter} />
          </More>
        </div>
      </Card>
      <Card title="How many" about="Installs that have a push token and allow notifications.">
        <Reading of={preview} lines={1}>
          {({ total }) => <p class="segment-count-number">{formatNumber(total)}</p>}
        </Reading>
      </Card>
      <Uses appId={appId} id={id} />
    </div>
  )
}
