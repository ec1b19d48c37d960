import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { type Answer, api, asked, type Body } from '../../api/client.ts'
import { messageOf } from '../../api/errors.ts'
import * as row from '../../forms/rows.ts'
import { TableForm, useTable } from '../../forms/table-form.tsx'
import { command } from '../../parts/shell-words.ts'
import { Card, Note } from '../../parts/surfaces.tsx'
import { lastPhone } from './last-phone.ts'

const TRIES = '/admin/v1/apps/{appId}/push-tries'
const LOOK_MS = 500
/** A lane may be paused; then the answer comes with the next try, and nobody waits for that. */
const PATIENCE_MS = 20_000

type Report = Answer<'/admin/v1/apps/{appId}/notifications/{id}'>

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
    <Card title="Send a test push" about="To one install or one user. It leaves at once, like any other push.">
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

/** Asks until the gateway has answered. */
function Outcome({ appId, id, sandbox }: { appId: number; id: number; sandbox: string | null }) {
  const report = useSignal<Report | undefined>(undefined)
  const problem = useSignal<string | undefined>(undefined)
  const isLate = useSignal(false)
  useEffect(() => {
    const controller = new AbortController()
    const until = performance.now() + PATIENCE_MS
    let timer: ReturnType<typeof setTimeout> | undefined
    const look = async () => {
      try {
        const got = await api.get('/admin/v1/apps/{appId}/notifications/{id}', {
          path: { appId, id },
          signal: controller.signal,
        })
        report.value = got
        if (isOver(got)) return
        isLate.value = performance.now() > until
        if (!isLate.peek()) timer = setTimeout(() => void look(), LOOK_MS)
      } catch (error) {
        if (!controller.signal.aborted) problem.value = messageOf(error)
      }
    }
    void look()
    return () => {
      controller.abort()
      clearTimeout(timer)
    }
  }, [])
  if (problem.value !== undefined) return <Note tone="bad" title={problem.value} />
  const now = report.value
  return (
    <div role="status">
      {!now || (!isOver(now) && !isLate.value) ? (
        <Note title="It is on its way." />
      ) : !isOver(now) ? (
        <Note tone="warn" title="The gateway has not answered yet. It may be paused: check it above." />
      ) : now.counts.accepted > 0 ? (
        <Note
          tone="good"
          title={sandbox === null ? 'The vendor accepted it for delivery.' : 'The sandbox accepted it.'}
          actions={
            sandbox !== null && (
              <a class="button small" href={sandbox} target="_blank" rel="noreferrer">
                See it arrive
              </a>
            )
          }
        >
          {sandbox === null && <p>The phone confirms it itself once it has shown it.</p>}
        </Note>
      ) : (
        <Note tone="bad" title="It did not get through.">
          <p>{reasonsOf(now) || 'Nobody could be reached.'}</p>
        </Note>
      )}
    </div>
  )
}

const isOver = ({ counts }: Report): boolean => counts.audience > 0 && counts.pending === 0

const reasonsOf = ({ counts }: Report): string =>
  [...counts.failures, ...counts.skips]
    .map((one) => ('reason' in one ? one.reason : ''))
    .filter(Boolean)
    .join(', ')
