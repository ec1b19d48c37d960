import { api } from '../../api/client.ts'
import { AsCommand } from '../../parts/code.tsx'
import { ConfirmDialog, toast } from '../../parts/overlays.tsx'
import { saveFile } from '../../parts/save-file.ts'
import { command } from '../../parts/shell-words.ts'
import type { UserProps } from './types.ts'

/** Saves everything that is stored about the person as a file. */
export function ExportDialog({ appId, profile, onClose }: UserProps & { onClose(): void }) {
  const run = async () => {
    const answer = (await api.get('/admin/v1/apps/{appId}/users/{userId}/export', {
      path: { appId, userId: profile.identifier },
    })) as unknown
    // One line alone is JSON, and was read as such.
    const text = typeof answer === 'string' ? answer : `${JSON.stringify(answer)}\n`
    saveFile(`user-${profile.id}.ndjson`, text, 'application/x-ndjson')
    toast('The file is saved.')
  }
  return (
    <ConfirmDialog
      title="Export everything about this user?"
      action="Save the file"
      tone="primary"
      run={run}
      onClose={onClose}
    >
      <p>
        You get one file with every row that is stored about {profile.identifier}: attributes, installs, events,
        messages. The audit log notes that you took it.
      </p>
      <AsCommand
        command={`${command`users export ${profile.identifier} --app ${appId}`} > user-${profile.id}.ndjson`}
        call={{ method: 'GET', path: `/admin/v1/apps/${appId}/users/${encodeURIComponent(profile.identifier)}/export` }}
      />
    </ConfirmDialog>
  )
}
