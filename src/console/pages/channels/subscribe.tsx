import { useSignal } from '@preact/signals'
import { asked, type Body } from '../../api/client.ts'
import * as row from '../../forms/rows.ts'
import { listOf } from '../../forms/table.ts'
import { TableForm, useTable } from '../../forms/table-form.tsx'
import { formatNumber } from '../../parts/numbers.ts'
import { Dialog, toast } from '../../parts/overlays.tsx'
import { Note } from '../../parts/surfaces.tsx'
import { type Channel, nameOf } from './names.ts'

interface SubscribeProps {
  appId: number
  channel: Channel
  onDone(): void
  onClose(): void
}

/** Maximum number of identifiers in the form. A longer list is brought as a file. */
const MOST = 1000

const idsOf = (text: unknown) => listOf(String(text), /\n/)

const PEOPLE = row.table<Body<'/admin/v1/apps/{appId}/channels/{uuid}/subscriptions', 'post'>>()(
  row.radio('kind', 'Who', {
    path: '',
    first: 'users',
    options: [
      { value: 'users', label: 'Users', about: 'With all devices that they use, now and later.' },
      { value: 'installs', label: 'Single devices', about: 'By install id.' },
    ],
  }),
  row.lines('ids', 'User ids', {
    path: 'userIds',
    also: ['installIds'],
    hint: `One a line, at most ${formatNumber(MOST)}.`,
    rows: 5,
    sample: 'anna',
    need: 'Write at least one.',
    to: idsOf,
    check: (ids) =>
      idsOf(ids).length > MOST ? `These are more than ${formatNumber(MOST)}: bring them as a file.` : undefined,
  }),
)

/** Subscribes people by their identifiers, one a line. */
export function Subscribe({ appId, channel, onDone, onClose }: SubscribeProps) {
  const path = { appId, uuid: channel.uuid }
  const unknown = useSignal<readonly (string | number)[]>([])
  const form = useTable(PEOPLE, {
    call: ({ userIds: ids }, { kind }) =>
      asked('post', '/admin/v1/apps/{appId}/channels/{uuid}/subscriptions', {
        path,
        body: kind === 'users' ? { userIds: ids ?? [] } : { installIds: ids ?? [] },
      }),
    done(answer, { ids }) {
      const { unknownUserIds = [], unknownInstallIds = [] } = answer?.errors ?? {}
      unknown.value = [...unknownUserIds, ...unknownInstallIds]
      const count = idsOf(ids).length - unknown.value.length
      if (count > 0) {
        toast(`${formatNumber(count)} subscribed to ${nameOf(channel)}.`)
        onDone()
      }
      if (unknown.value.length === 0) onClose()
      else form.set({ ids: unknown.value.join('\n') })
    },
  })
  const { kind, ids } = form.values.value
  const count = idsOf(ids).length
  return (
    <Dialog title={`Subscribe people to ${nameOf(channel)}`} onClose={onClose}>
      <TableForm
        form={form}
        submitLabel={count > 1 ? `Subscribe ${formatNumber(count)}` : 'Subscribe'}
        cancel={onClose}
        extras={kind === 'users' ? {} : { ids: { label: 'Install ids' } }}
      >
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
      </TableForm>
    </Dialog>
  )
}
