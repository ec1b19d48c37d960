import { useEffect } from 'preact/hooks'
import { api } from '../../api/client.ts'
import { messageOf } from '../../api/errors.ts'
import { useLoad } from '../../api/load.ts'
import { Note, Skeleton } from '../../parts/surfaces.tsx'
import type { columnOf } from './column-fields.tsx'

/** A change as the interface takes it. */
export type Change =
  | { do: 'add'; column: ReturnType<typeof columnOf> }
  | { do: 'drop'; name: string }
  | { do: 'rename'; name: string; to: string }
  | { do: 'set'; name: string; required?: boolean; unique?: boolean; indexed?: boolean }

const WAIT_MS = 300

interface ConsequencesProps {
  appId: number
  alias: string
  changes: readonly Change[]
  /** Called when the consequences are known, and tells whether something prevents the changes. */
  onKnown(isBlocked: boolean): void
}

/** Consequences of changes to columns: the effect on records and callers, obstacles, and the time that it takes. */
export function Consequences({ appId, alias, changes, onKnown }: ConsequencesProps) {
  const text = JSON.stringify(changes)
  const told = useLoad(
    changes.length === 0
      ? null
      : async (signal) => {
          await new Promise((resolve) => setTimeout(resolve, WAIT_MS))
          signal.throwIfAborted()
          return api.get('/admin/v1/apps/{appId}/tables/{tableAlias}/consequences', {
            path: { appId, tableAlias: alias },
            query: { changes: text },
            signal,
          })
        },
    [appId, alias, text],
  )
  const found = told.value.value
  const obstacles = found?.changes.flatMap((change) => change.obstacles) ?? []
  useEffect(() => onKnown(obstacles.length > 0), [obstacles.length])
  if (changes.length === 0) return <p class="quiet small-text">What a change does is told here before it is made.</p>
  if (told.error.value !== undefined) return <Note tone="warn" title={messageOf(told.error.value)} />
  if (!found) return <Skeleton lines={2} />
  const duration =
    found.seconds === 0
      ? 'It takes less than a tenth of a second.'
      : `It takes about ${found.seconds} ${found.seconds === 1 ? 'second' : 'seconds'}.`
  return (
    <div aria-live="polite" class="stack tight">
      {obstacles.length > 0 && (
        <Note tone="bad" title="Records are in the way">
          {obstacles.map((one) => (
            <p key={one}>{one}</p>
          ))}
        </Note>
      )}
      <Note tone={changes.some((change) => change.do === 'drop') ? 'warn' : 'info'} title="What this does">
        <ul>
          {found.changes
            .flatMap(({ effects }) => effects)
            .map((effect) => (
              <li key={effect}>{effect}</li>
            ))}
          <li>
            {duration}
            {found.stopsServer && ' The server answers nothing else meanwhile.'}
          </li>
        </ul>
      </Note>
    </div>
  )
}
