import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { asked, type Body } from '../../api/client.ts'
import * as row from '../../forms/rows.ts'
import { TableForm, useTable } from '../../forms/table-form.tsx'
import { command } from '../../parts/shell-words.ts'
import { Card } from '../../parts/surfaces.tsx'
import { lastPhone } from './last-phone.ts'
import { Outcome } from './outcome.tsx'

const TRIES = '/admin/v1/apps/{appId}/push-tries'

const TEST = row.table<Body<typeof TRIES, 'post'>>()(
  row.text('to', 'Install or user id', {
    flag: 'install',
    sample: 'INSTALL',
    isMono: true,
    need: 'Say to whom: the id of an install or a user.',
  }),
  row.text('title', 'Title', { flag: 'title', first: 'Test', to: (title) => title.trim() || 'Test' }),
  row.text('message', 'Message', {
    flag: 'message',
    first: 'It works.',
    to: (message) => message.trim() || 'It works.',
  }),
)

/** A push to one install or user, and what became of it. */
export function Try({ appId, sandbox }: { appId: number; sandbox: string | null }) {
  const sent = useSignal<number | undefined>(undefined)
  const form = useTable(TEST, {
    call: (body) => asked('post', TRIES, { path: { appId }, body }),
    done: ({ notification }) => (sent.value = notification),
  })
  const phone = lastPhone.value?.appId === appId ? lastPhone.value : undefined
  useEffect(() => {
    if (phone) form.set({ to: phone.installId })
  }, [phone?.installId])
  const isPhone = phone !== undefined && form.values.value.to === phone.installId
  return (
    <Card title="Send a test push" about="To one device or one user. It leaves at once, like any other push.">
      <TableForm
        form={form}
        submitLabel="Send the test push"
        tone={phone ? 'primary' : 'plain'}
        command={command`push test --app ${appId} ${form.flags}`}
        extras={{ to: { hint: isPhone ? phone.name : 'Users and their installs are found on the page Users.' } }}
        also={sent.value !== undefined && <Outcome key={sent.value} appId={appId} id={sent.value} sandbox={sandbox} />}
      />
    </Card>
  )
}
