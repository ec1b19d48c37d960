import { api, asked } from '../../api/client.ts'
import { TableForm, useTable } from '../../forms/table-form.tsx'
import { toast } from '../../parts/overlays.tsx'
import { command } from '../../parts/shell-words.ts'
import { Card, Note } from '../../parts/surfaces.tsx'
import { CHANNEL } from './fields.ts'
import type { Channel } from './names.ts'

interface SettingsProps {
  appId: number
  channel: Channel
  onSaved(channel: Channel): void
}

/** Name, identifier, and whether compose offers the channel. */
export function Settings({ appId, channel, onSaved }: SettingsProps) {
  const path = { appId, id: channel.id }
  const form = useTable(CHANNEL, {
    of: channel,
    read: () => api.get('/admin/v1/apps/{appId}/channels/{id}', { path }),
    draft: `channel-${appId}-${channel.id}`,
    call: (body) => asked('put', '/admin/v1/apps/{appId}/channels/{id}', { path, body }),
    done(saved) {
      form.hasDraft.value = false
      toast('The channel is saved.')
      onSaved(saved)
    },
  })
  const uuid = form.shown.uuid.trim()
  const renamed = uuid !== channel.uuid && ['--uuid', uuid]
  return (
    <Card>
      <TableForm
        form={form}
        submitLabel="Save the channel"
        command={command`channels update --app ${appId} ${channel.uuid} ${renamed} ${form.flags}`}
        lead={
          channel.madeByDevice && (
            <Note title="A device gave it its name, so only subscribers see it. Save a name here to show it to everybody." />
          )
        }
      />
    </Card>
  )
}
