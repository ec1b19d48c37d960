import { asked, type Body } from '../../api/client.ts'
import * as row from '../../forms/rows.ts'
import { TableForm, useTable } from '../../forms/table-form.tsx'
import { Dialog, toast } from '../../parts/overlays.tsx'
import { command } from '../../parts/shell-words.ts'
import { Note } from '../../parts/surfaces.tsx'
import { GRACES, OWN, type OwnKey } from './words.ts'

const ROTATE = '/admin/v1/apps/{appId}/keys/{kind}/rotate'

interface RotateProps {
  appId: number
  kind: OwnKey['kind']
  onClose(): void
  onMade(key: string): void
}

const IN_APPS = 'Installed apps lose access until they are updated.'
/** Warnings of what stops when the old key ends at once. */
const ENDING: Readonly<Record<OwnKey['kind'], string>> = {
  api: IN_APPS,
  secret: IN_APPS,
  server: 'Your servers are refused within a second, until they have the new key.',
  signing: 'All tokens of users that were issued stop working at once. This is right when the key has leaked.',
}

const GRACE = row.table<Body<typeof ROTATE, 'post'>>()(
  row.select('grace', 'How long the old key goes on working', { path: 'graceSeconds', to: Number }),
)

/** Replaces a key of the app; the old one may go on for a while. */
export function RotateDialog({ appId, kind, onClose, onMade }: RotateProps) {
  const { name } = OWN[kind]
  const form = useTable(GRACE, {
    first: { grace: GRACES[kind][0]!.value },
    call: (body) => asked('post', ROTATE, { path: { appId, kind }, body }),
    done({ key }) {
      toast(`The ${name} is replaced.`)
      onMade(key)
    },
  })
  const { grace } = form.values.value
  return (
    <Dialog title={`Replace the ${name}`} onClose={onClose}>
      <TableForm
        form={form}
        submitLabel={`Replace the ${name}`}
        tone={grace === '0' ? 'danger' : 'primary'}
        cancel={onClose}
        command={
          kind === 'signing'
            ? command`apps identity ${appId} --rotate --grace ${`${grace}s`}`
            : command`apps keys rotate ${appId} ${`--${kind}`} --grace ${`${grace}s`}`
        }
        extras={{ grace: { options: GRACES[kind] } }}
      >
        {grace === '0' && <Note tone="warn" title={ENDING[kind]} />}
      </TableForm>
    </Dialog>
  )
}
