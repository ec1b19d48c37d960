import { Plus, Table2 } from 'lucide'
import { usePages } from '../../api/load.ts'
import { Button } from '../../parts/button.tsx'
import { Card, PageHead } from '../../parts/surfaces.tsx'
import { ListTable } from '../../parts/table.tsx'
import { Num, Time } from '../../parts/values.tsx'
import type { PageProps } from '../../state/page.ts'
import { href } from '../../state/router.ts'
import { may } from '../../state/session.ts'

/** The data tables of an app. */
export default function Tables({ appId }: PageProps) {
  const list = usePages('/admin/v1/apps/{appId}/tables', { path: { appId } }, 'items')
  const add = may('operate', appId) && (
    <Button tone="primary" icon={Plus} href={href(`/apps/${appId}/tables/new`)}>
      New table
    </Button>
  )
  return (
    <div class="page">
      <PageHead
        title="Tables"
        about="Data that your app and your servers share: products, shops, scores."
        actions={(list.value.value ?? []).length > 0 && add}
      />
      <Card isFlush>
        <ListTable
          label="Tables"
          list={list}
          keyOf={({ id }) => id}
          empty={{
            icon: Table2,
            title: 'No tables yet',
            about: may('operate', appId)
              ? 'Create one, import a CSV file into it, and your app can read it.'
              : 'Somebody with the role operator or owner can create one.',
            action: add,
          }}
          columns={[
            {
              title: 'Name',
              cell: ({ name, alias }) => (
                <a class="cell-link" href={href(`/apps/${appId}/tables/${alias}`)}>
                  {name}
                </a>
              ),
            },
            { title: 'Alias in URLs', isMinor: true, cell: ({ alias }) => <span class="mono">{alias}</span> },
            { title: 'Columns', cell: ({ columns }) => <Num value={columns.length} />, isNumeric: true },
            { title: 'Records', cell: ({ records }) => <Num value={records} />, isNumeric: true },
            { title: 'Changed', cell: ({ updatedAt }) => <Time at={updatedAt} />, isTight: true },
          ]}
        />
      </Card>
    </div>
  )
}
