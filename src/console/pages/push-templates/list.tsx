import { NotepadTextDashed, Plus } from 'lucide'
import { usePages } from '../../api/load.ts'
import { Button } from '../../parts/button.tsx'
import { Card, PageHead } from '../../parts/surfaces.tsx'
import { ListTable } from '../../parts/table.tsx'
import { Num, Time } from '../../parts/values.tsx'
import type { PageProps } from '../../state/page.ts'
import { href } from '../../state/router.ts'
import { may } from '../../state/session.ts'
import { TEMPLATES } from './content.ts'

/** The push templates of the app. */
export default function PushTemplates({ appId }: PageProps) {
  const list = usePages(TEMPLATES, { path: { appId }, query: { limit: 50 } }, 'pushTemplates')
  const make = may('campaign', appId) && (
    <Button tone="primary" icon={Plus} href={href(`/apps/${appId}/push-templates/+new`)}>
      New push template
    </Button>
  )
  return (
    <div class="page">
      <PageHead
        title="Push templates"
        about="What pushes say, to be sent again: by people who start from one, and by servers that name it."
        actions={list.value.value?.length !== 0 && make}
      />
      <Card isFlush>
        <ListTable
          label="Push templates"
          list={list}
          keyOf={({ uid }) => uid}
          empty={{
            icon: NotepadTextDashed,
            title: 'No push templates yet',
            about: 'Write once what you send often, such as “Your order is ready”.',
            action: make,
          }}
          columns={[
            {
              title: 'Name',
              cell: ({ uid, name }) => (
                <a class="cell-link" href={href(`/apps/${appId}/push-templates/${encodeURIComponent(uid)}`)}>
                  {name}
                </a>
              ),
            },
            { title: 'Identifier', cell: ({ uid }) => <span class="mono breaks">{uid}</span> },
            { title: 'Version', isMinor: true, cell: ({ version }) => <Num value={version} />, isNumeric: true },
            { title: 'Changed', cell: ({ updatedAt }) => <Time at={updatedAt} />, isTight: true },
          ]}
        />
      </Card>
    </div>
  )
}
