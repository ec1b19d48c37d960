import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { type Answer, api } from '../../api/client.ts'
import { messageOf } from '../../api/errors.ts'
import { Note } from '../../parts/surfaces.tsx'

const LOOK_MS = 500
/** A lane may be paused; then the answer comes with the next try, and nobody waits for that. */
const PATIENCE_MS = 20_000

type Report = Answer<'/admin/v1/apps/{appId}/notifications/{id}'>

/** The outcome of a test push: asks until the gateway has answered. `sandbox`: the page of the sandbox to which this server sends. */
export function Outcome({ appId, id, sandbox }: { appId: number; id: number; sandbox: string | null }) {
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
