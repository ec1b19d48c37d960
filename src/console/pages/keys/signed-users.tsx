import { type Answer, api, asked } from '../../api/client.ts'
import { useGet } from '../../api/load.ts'
import * as row from '../../forms/rows.ts'
import { valuesOf } from '../../forms/table.ts'
import { TableForm, useTable } from '../../forms/table-form.tsx'
import { toast } from '../../parts/overlays.tsx'
import { Reading } from '../../parts/reading.tsx'
import { command } from '../../parts/shell-words.ts'
import { Card, Note } from '../../parts/surfaces.tsx'

const SIGNED = '/admin/v1/apps/{appId}/signed-users'
type Signed = Answer<typeof SIGNED>

const MODE = row.table<Signed>()(
  row.radio('mode', 'Devices name users by', {
    first: 'off',
    options: [
      { value: 'off', label: 'Plain identifiers', about: 'Tokens that were issued keep working.' },
      { value: 'optional', label: 'Tokens or plain identifiers', about: 'While people update their apps.' },
      { value: 'require', label: 'Tokens only', about: 'Nobody can log in as somebody else.' },
    ],
  }),
)

interface SignedProps {
  appId: number
  onMade(key: string): void
}

/** The card that says how devices name users. The first time that tokens are accepted, there is a signing key, shown once. */
export function SignedUsers({ appId, onMade }: SignedProps) {
  const signed = useGet(SIGNED, { path: { appId } })
  return (
    <Card
      title="Signed users"
      about="Your server signs a token for each user, so that nobody who takes the app apart can log in as another user."
    >
      <Reading of={signed} lines={4}>
        {(now) => <Mode appId={appId} now={now} onSaved={signed.set} onMade={onMade} />}
      </Reading>
    </Card>
  )
}

function Mode({ appId, now, onSaved, onMade }: SignedProps & { now: Signed; onSaved(now: Signed): void }) {
  const path = { appId }
  const form = useTable(MODE, {
    of: now,
    read: () => api.get(SIGNED, { path }),
    call: (body) => asked('put', SIGNED, { path, body }),
    done({ key, mode }) {
      onSaved({ mode })
      form.reset(valuesOf(MODE, { mode }))
      toast('The setting is saved.')
      if (key !== null) onMade(key)
    },
  })
  const { mode } = form.values.value
  return (
    <TableForm
      form={form}
      tone="plain"
      submitLabel="Save the setting"
      command={command`apps identity ${appId} ${[`--${mode}`]}`}
    >
      {mode === 'require' && now.mode !== mode && (
        <Note
          tone="warn"
          title="Apps that send no tokens yet cannot log anybody in. Wait until most people have the new version."
        />
      )}
    </TableForm>
  )
}
