import { useSignal } from '@preact/signals'
import { Plus } from 'lucide'
import { api, asked } from '../../api/client.ts'
import { messageOf } from '../../api/errors.ts'
import { Button } from '../../parts/button.tsx'
import { AsCommand } from '../../parts/code.tsx'
import { Combobox } from '../../parts/combobox.tsx'
import { Dialog, toast } from '../../parts/overlays.tsx'
import { Badge, Card, Note } from '../../parts/surfaces.tsx'
import { useWork } from '../../parts/use-work.ts'
import { may } from '../../state/session.ts'
import type { UserProps } from './types.ts'

/** The channels that reach this user. */
export function Channels(props: UserProps) {
  const { appId, profile, reload } = props
  const isOpen = useSignal(false)
  const busy = useSignal<string | undefined>(undefined)
  const mayChange = may('campaign', appId)
  const leave = async (uuid: string) => {
    busy.value = uuid
    try {
      await api.delete('/admin/v1/apps/{appId}/channels/{uuid}/subscriptions', {
        path: { appId, uuid },
        body: { userIds: [profile.identifier] },
      })
      reload()
    } catch (error) {
      toast(messageOf(error))
    } finally {
      busy.value = undefined
    }
  }
  return (
    <Card
      title="Channels"
      actions={
        mayChange && (
          <Button size="small" icon={Plus} onClick={() => void (isOpen.value = true)}>
            Subscribe
          </Button>
        )
      }
    >
      {profile.channels.length === 0 ? (
        <p class="quiet">No channel reaches them.</p>
      ) : (
        <ul class="plain-list rows">
          {profile.channels.map(({ uuid, name, subscribed, installs, optedOut }) => (
            <li key={uuid} class="row spread">
              <span class="user-name">
                {name ?? uuid} {optedOut > 0 && <Badge tone="warn">{optedOut} opted out</Badge>}
                <span class="quiet small-text user-line">
                  {subscribed
                    ? 'the user is subscribed'
                    : `${installs} ${installs === 1 ? 'device is' : 'devices are'} subscribed`}
                </span>
              </span>
              {mayChange && (
                <Button size="small" isBusy={busy.value === uuid} onClick={() => leave(uuid)}>
                  Unsubscribe<span class="hidden"> from {name ?? uuid}</span>
                </Button>
              )}
            </li>
          ))}
        </ul>
      )}
      {isOpen.value && <Subscribe {...props} onClose={() => void (isOpen.value = false)} />}
    </Card>
  )
}

interface ChannelOffer {
  uuid: string
  name: string | null
}

function Subscribe({ appId, profile, reload, onClose }: UserProps & { onClose(): void }) {
  const chosen = useSignal<ChannelOffer | undefined>(undefined)
  const { isBusy, problem, run } = useWork()
  const find = async (text: string, signal: AbortSignal): Promise<ChannelOffer[]> => {
    const { channels } = await api.get('/admin/v1/apps/{appId}/channels', {
      path: { appId },
      query: { limit: 1000 },
      signal,
    })
    const small = text.toLowerCase()
    return channels
      .filter(({ uuid, name }) => `${name ?? ''} ${uuid}`.toLowerCase().includes(small))
      .slice(0, 8)
      .map(({ uuid, name }) => ({ uuid, name }))
  }
  const channel = chosen.value
  const subscribe =
    channel &&
    asked('post', '/admin/v1/apps/{appId}/channels/{uuid}/subscriptions', {
      path: { appId, uuid: channel.uuid },
      body: { userIds: [profile.identifier] },
    })
  const go = async () => {
    await subscribe?.send()
    toast(`Subscribed to ${channel?.name ?? channel?.uuid}.`)
    onClose()
    reload()
  }
  return (
    <Dialog title="Subscribe to a channel" onClose={onClose}>
      <div class="stack">
        <Combobox
          label="Channel"
          hint="Type a part of its name; the arrow key shows the first ones."
          find={find}
          keyOf={(channel) => channel.uuid}
          show={(channel) => channel.name ?? channel.uuid}
          textOf={(channel) => channel.name ?? channel.uuid}
          onChoose={(channel) => void (chosen.value = channel)}
        />
        {subscribe && <AsCommand call={subscribe} />}
        <div role="alert">{problem.value !== undefined && <Note tone="bad" title={problem.value} />}</div>
        <div class="dialog-foot">
          <Button onClick={onClose}>Cancel</Button>
          <Button tone="primary" isOff={!subscribe} isBusy={isBusy.value} onClick={() => run(go)}>
            Subscribe to this channel
          </Button>
        </div>
      </div>
    </Dialog>
  )
}
