import { asked } from '../../api/client.ts'
import { TableForm, useTable } from '../../forms/table-form.tsx'
import { toast } from '../../parts/overlays.tsx'
import { command } from '../../parts/shell-words.ts'
import { Card, PageHead } from '../../parts/surfaces.tsx'
import type { PageProps } from '../../state/page.ts'
import { href, navigate } from '../../state/router.ts'
import { CHANNEL } from './fields.ts'

/** A channel that does not exist yet. */
export default function NewChannel({ appId }: PageProps) {
  const all = `/apps/${appId}/channels`
  const form = useTable(CHANNEL, {
    draft: `channel-${appId}-new`,
    call: (body) => asked('post', '/admin/v1/apps/{appId}/channels', { path: { appId }, body }),
    done({ id }) {
      toast('The channel is there.')
      navigate(`${all}/${id}`)
    },
  })
  return (
    <div class="page narrow">
      <PageHead title="New channel" crumbs={[{ label: 'Channels', href: href(all) }]} />
      <Card>
        <TableForm
          form={form}
          submitLabel="Create the channel"
          cancel={all}
          command={command`channels create --app ${appId} ${form.shown.uuid.trim()} ${form.flags}`}
        />
      </Card>
    </div>
  )
}
