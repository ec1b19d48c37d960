import { Filter as FilterIcon, Plus, Send } from 'lucide'
import { usePages } from '../../api/load.ts'
import { Button } from '../../parts/button.tsx'
import { Card, PageHead } from '../../parts/surfaces.tsx'
import { ListTable } from '../../parts/table.tsx'
import { Time } from '../../parts/values.tsx'
import type { PageProps } from '../../state/page.ts'
import { href } from '../../state/router.ts'
import { may } from '../../state/session.ts'
import { wordsOf } from './filter.ts'
import { Size } from './size.tsx'
import { useSizes } from './sizes.ts'

/** The segments of an app. */
export default function Segments({ appId }: PageProps) {
  const list = usePages('/admin/v1/apps/{appId}/segments', { path: { appId } }, 'segments')
  const canWrite = may('campaign', appId)
  const sizes = useSizes(appId, list.value.value ?? [], canWrite)
  const makes = (
    <Button tone="primary" icon={Plus} href={href(`/apps/${appId}/segments/new`)}>
      New segment
    </Button>
  )
  const isEmpty = list.value.value?.length === 0
  return (
    <div class="page">
      <PageHead
        title="Segments"
        about="People who have something in common. Who belongs to a segment is found out whenever you send to it."
        actions={canWrite && !isEmpty && makes}
      />
      <Card isFlush>
        <ListTable
          label="Segments"
          list={list}
          keyOf={({ id }) => id}
          empty={{
            icon: FilterIcon,
            title: 'No segments yet',
            about:
              'Describe people once, such as everybody with an iPhone and the gold plan, and send to them whenever you like.',
            action: canWrite && makes,
          }}
          columns={[
            {
              title: 'Name',
              cell: ({ id, name }) => (
                <a class="cell-link" href={href(`/apps/${appId}/segments/${id}`)}>
                  {name}
                </a>
              ),
            },
            {
              title: 'Devices',
              isNumeric: true,
              cell: (segment) => <Size segment={segment} sizes={sizes} canCount={canWrite} />,
            },
            {
              title: 'Who',
              isMinor: true,
              cell: ({ filter }) => <span class="segment-words quiet">{wordsOf(filter)}</span>,
            },
            { title: 'Changed', cell: ({ updatedAt }) => <Time at={updatedAt} />, isTight: true },
            {
              title: '',
              isTight: true,
              cell: ({ uuid, name }) =>
                canWrite && (
                  <Button size="small" icon={Send} href={href(`/apps/${appId}/push/new?segment=${uuid}`)}>
                    Send<span class="hidden"> to {name}</span>
                  </Button>
                ),
            },
          ]}
        />
      </Card>
    </div>
  )
}
