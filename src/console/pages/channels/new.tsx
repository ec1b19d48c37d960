import { api } from '../../api/client.ts'
import { Button } from '../../parts/button.tsx'
import { AsCommand } from '../../parts/code.tsx'
import { Form, useForm } from '../../parts/form.tsx'
import { toast } from '../../parts/overlays.tsx'
import { commandLine } from '../../parts/shell-words.ts'
import { Card, PageHead } from '../../parts/surfaces.tsx'
import type { PageProps } from '../../shell/page.ts'
import { href, navigate } from '../../shell/router.ts'
import { bodyOf, ChannelFields, type ChannelValues, checkChannel } from './fields.tsx'

/** A channel that does not exist yet. */
export default function NewChannel({ appId }: PageProps) {
  const form = useForm<ChannelValues>(
    { uuid: '', name: '', showInPortal: true, meta: undefined },
    {
      draft: `channel-${appId}-new`,
      check: checkChannel,
      submit: async (values) => {
        const made = await api.post('/admin/v1/apps/{appId}/channels', { path: { appId }, body: bodyOf(values) })
        toast('The channel is there.')
        navigate(`/apps/${appId}/channels/${made.id}`)
      },
    },
  )
  const values = form.values.value
  const body = { ...bodyOf(values), uuid: values.uuid.trim() || 'news' }
  const hasMeta = body.meta !== null
  return (
    <div class="page narrow">
      <PageHead title="New channel" crumbs={[{ label: 'Channels', href: href(`/apps/${appId}/channels`) }]} />
      <Card>
        <Form
          form={form}
          submitLabel="Create the channel"
          more={<Button href={href(`/apps/${appId}/channels`)}>Cancel</Button>}
          also={
            <AsCommand
              command={commandLine(
                'channels',
                'create',
                '--app',
                appId,
                body.uuid,
                ...(body.name === null ? [] : ['--name', body.name]),
                ...(body.showInPortal ? ['--show-in-portal'] : []),
                ...(hasMeta ? ['--meta-file', 'meta.json'] : []),
              )}
              call={{ method: 'POST', path: `/admin/v1/apps/${appId}/channels`, body }}
            />
          }
        >
          <ChannelFields form={form} />
        </Form>
      </Card>
    </div>
  )
}
