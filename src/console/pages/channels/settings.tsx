import { api } from '../../api/client.ts'
import { AsCommand } from '../../parts/code.tsx'
import { Form, useForm } from '../../parts/form.tsx'
import { toast } from '../../parts/overlays.tsx'
import { commandLine } from '../../parts/shell-words.ts'
import { Card, Note } from '../../parts/surfaces.tsx'
import { bodyOf, ChannelFields, type ChannelValues, checkChannel } from './fields.tsx'
import type { Channel } from './names.ts'

interface SettingsProps {
  appId: number
  channel: Channel
  onSaved(channel: Channel): void
}

/** Name, identifier, and whether compose offers the channel. */
export function Settings({ appId, channel, onSaved }: SettingsProps) {
  const { id } = channel
  const form = useForm<ChannelValues>(
    {
      uuid: channel.uuid,
      name: channel.name ?? '',
      showInPortal: channel.showInPortal,
      meta: channel.meta ?? undefined,
    },
    {
      draft: `channel-${appId}-${id}`,
      edits: {
        before: channel,
        read: () => api.get('/admin/v1/apps/{appId}/channels/{id}', { path: { appId, id } }),
      },
      check: checkChannel,
      submit: async (values) => {
        const saved = await api.put('/admin/v1/apps/{appId}/channels/{id}', {
          path: { appId, id },
          body: bodyOf(values),
        })
        form.hasDraft.value = false
        toast('The channel is saved.')
        onSaved(saved)
      },
    },
  )
  const body = bodyOf(form.values.value)
  return (
    <Card>
      <Form
        form={form}
        submitLabel="Save the channel"
        also={
          <AsCommand
            command={commandLine(
              'channels',
              'update',
              '--app',
              appId,
              channel.uuid,
              ...(body.uuid === channel.uuid ? [] : ['--uuid', body.uuid]),
              ...(body.name === null ? ['--no-name'] : ['--name', body.name]),
              body.showInPortal ? '--show-in-portal' : '--no-show-in-portal',
              ...(body.meta === null ? ['--no-meta'] : ['--meta-file', 'meta.json']),
            )}
            call={{ method: 'PUT', path: `/admin/v1/apps/${appId}/channels/${id}`, body }}
          />
        }
      >
        {channel.madeByDevice && (
          <Note title="A device gave it its name, so only subscribers see it. Save a name here to show it to everybody." />
        )}
        <ChannelFields form={form} />
      </Form>
    </Card>
  )
}
