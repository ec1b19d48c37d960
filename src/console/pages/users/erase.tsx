import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { api } from '../../api/client.ts'
import { isCancelled, messageOf } from '../../api/errors.ts'
import { Button } from '../../parts/button.tsx'
import { AsCommand } from '../../parts/code.tsx'
import { ConfirmDialog, Dialog } from '../../parts/overlays.tsx'
import { command } from '../../parts/shell-words.ts'
import { Note } from '../../parts/surfaces.tsx'
import { Progress } from '../../parts/values.tsx'
import { navigate } from '../../state/router.ts'
import type { UserProps } from './types.ts'

const LOOK_MS = 1000
const STATES = ['requested', 'erasing', 'searching', 'cleaning', 'done'] as const
const WORDS: Readonly<Record<(typeof STATES)[number], string>> = {
  requested: 'It begins in a moment.',
  erasing: 'Rows are being deleted.',
  searching: 'What was sent and answered is being searched for their name.',
  cleaning: 'What was deleted is being removed from the files of the database.',
  done: 'Nothing is left of them.',
}

/** Erases the person, and shows how far that is until nothing is left. */
export function EraseDialog({ appId, profile, onClose }: UserProps & { onClose(): void }) {
  const erasureId = useSignal<string | undefined>(undefined)
  if (erasureId.value !== undefined) return <Erasing appId={appId} id={erasureId.value} />
  return (
    <ConfirmDialog
      title="Erase this user?"
      action="Erase this user"
      typed={profile.identifier}
      run={async () => {
        const { id } = await api.delete('/admin/v1/apps/{appId}/users/{userId}', {
          path: { appId, userId: profile.identifier },
        })
        erasureId.value = id
      }}
      onClose={() => {
        if (erasureId.peek() === undefined) onClose()
      }}
    >
      <p>
        Everything that is stored about them is deleted: attributes, {profile.installs.length}{' '}
        {profile.installs.length === 1 ? 'device' : 'devices'} with push tokens, events, messages, check-ins and crash
        reports. Counts in reports stay. It cannot be undone; backups are not changed.
      </p>
      <AsCommand
        command={command`users delete ${profile.identifier} --app ${appId}`}
        call={{ method: 'DELETE', path: `/admin/v1/apps/${appId}/users/${encodeURIComponent(profile.identifier)}` }}
      />
    </ConfirmDialog>
  )
}

function Erasing({ appId, id }: { appId: number; id: string }) {
  const state = useSignal<(typeof STATES)[number]>('requested')
  const problem = useSignal<string | undefined>(undefined)
  useEffect(() => {
    const controller = new AbortController()
    let timer: ReturnType<typeof setTimeout>
    const look = async () => {
      try {
        const erasure = await api.get('/admin/v1/apps/{appId}/erasures/{erasureId}', {
          path: { appId, erasureId: id },
          signal: controller.signal,
        })
        state.value = erasure.state
        problem.value = undefined
      } catch (error) {
        if (isCancelled(error)) return
        problem.value = messageOf(error)
      }
      if (state.peek() !== 'done') timer = setTimeout(() => void look(), LOOK_MS)
    }
    void look()
    return () => {
      controller.abort()
      clearTimeout(timer)
    }
  }, [id])
  const leave = () => navigate(`/apps/${appId}/users`)
  const isDone = state.value === 'done'
  return (
    <Dialog title={isDone ? 'Erased' : 'Erasing'} onClose={leave}>
      <div class="stack">
        <Progress
          label="Erasing"
          value={STATES.indexOf(state.value)}
          max={STATES.length - 1}
          text={WORDS[state.value]}
        />
        <p class="quiet small-text">
          {isDone
            ? 'The audit log keeps that you asked for it, without their name.'
            : 'It goes on when you leave this page.'}
        </p>
        {problem.value !== undefined && <Note tone="warn" title={problem.value} />}
        <div class="dialog-foot">
          <Button tone="primary" onClick={leave}>
            Back to all users
          </Button>
        </div>
      </div>
    </Dialog>
  )
}
