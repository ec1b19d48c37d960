import { useSignal } from '@preact/signals'
import { api } from '../../api/client.ts'
import { Button } from '../../parts/button.tsx'
import { AsCommand } from '../../parts/code.tsx'
import { RadioGroup, TextArea } from '../../parts/field.tsx'
import { Form, useForm } from '../../parts/form.tsx'
import { Dialog, toast } from '../../parts/overlays.tsx'
import { Note } from '../../parts/surfaces.tsx'
import { formatNumber } from '../../parts/values.tsx'
import { type Channel, nameOf } from './names.ts'

interface SubscribeProps {
  appId: number
  channel: Channel
  onDone(): void
  onClose(): void
}

/** More belong into a file. */
const MOST = 1000

type Kind = 'users' | 'installs'

/** Subscribes people by their identifiers, one a line. */
export function Subscribe({ appId, channel, onDone, onClose }: SubscribeProps) {
  const { uuid } = channel
  const unknown = useSignal<readonly (string | number)[]>([])
  const form = useForm<{ kind: Kind; ids: string }>(
    { kind: 'users', ids: '' },
    {
      names: { userIds: 'ids', installIds: 'ids' },
      check: ({ ids }) => {
        const { length } = linesOf(ids)
        return {
          ids:
            length === 0
              ? 'Write at least one.'
              : length > MOST
                ? `These are more than ${formatNumber(MOST)}: bring them as a file.`
                : undefined,
        }
      },
      submit: async ({ kind, ids }) => {
        const all = linesOf(ids)
        const answer = await api.post('/admin/v1/apps/{appId}/channels/{uuid}/subscriptions', {
          path: { appId, uuid },
          body: bodyOf(kind, all),
        })
        const { unknownUserIds = [], unknownInstallIds = [] } = answer?.errors ?? {}
        unknown.value = [...unknownUserIds, ...unknownInstallIds]
        const done = all.length - unknown.value.length
        if (done > 0) {
          toast(`${formatNumber(done)} subscribed to ${nameOf(channel)}.`)
          onDone()
        }
        if (unknown.value.length === 0) onClose()
        else form.set({ ids: unknown.value.join('\n') })
      },
    },
  )
  const { kind, ids } = form.values.value
  const all = linesOf(ids)
  return (
    <Dialog title={`Subscribe people to ${nameOf(channel)}`} onClose={onClose}>
      <Form
        form={form}
        submitLabel={all.length > 1 ? `Subscribe ${formatNumber(all.length)}` : 'Subscribe'}
        more={<Button onClick={onClose}>Cancel</Button>}
        also={
          <AsCommand
            call={{
              method: 'POST',
              path: `/admin/v1/apps/${appId}/channels/${encodeURIComponent(uuid)}/subscriptions`,
              body: bodyOf(kind, all.length > 0 ? all : ['anna']),
            }}
          />
        }
      >
        <RadioGroup
          {...form.field('kind')}
          onChange={(next) => form.set({ kind: next === 'installs' ? 'installs' : 'users' })}
          label="Who"
          options={[
            { value: 'users', label: 'Users', about: 'With all devices that they use, now and later.' },
            { value: 'installs', label: 'Single devices', about: 'By install id.' },
          ]}
        />
        <TextArea
          {...form.field('ids')}
          label={kind === 'users' ? 'User identifiers' : 'Install ids'}
          hint={`One a line, at most ${formatNumber(MOST)}.`}
          rows={5}
          isMono
        />
        {unknown.value.length > 0 && (
          <Note
            tone="warn"
            title={
              unknown.value.length === 1
                ? 'The one that is left here is not known. All others are subscribed.'
                : `The ${formatNumber(unknown.value.length)} that are left here are not known. All others are subscribed.`
            }
          >
            <p>A user is known once the app or a server has named them.</p>
          </Note>
        )}
      </Form>
    </Dialog>
  )
}

const linesOf = (text: string): string[] => [
  ...new Set(text.split(/\r?\n/).flatMap((line) => (line.trim() === '' ? [] : [line.trim()]))),
]

const bodyOf = (kind: Kind, ids: string[]) => (kind === 'users' ? { userIds: ids } : { installIds: ids })
