import { useSignal } from '@preact/signals'
import { Plus, ShieldBan } from 'lucide'
import { type Answer, api, asked, type Body } from '../../api/client.ts'
import { ApiError, messageOf } from '../../api/errors.ts'
import { usePages } from '../../api/load.ts'
import * as row from '../../forms/rows.ts'
import { TableForm, useTable } from '../../forms/table-form.tsx'
import { Button } from '../../parts/button.tsx'
import { AsCommand } from '../../parts/code.tsx'
import { TextField } from '../../parts/field.tsx'
import { ConfirmDialog, Dialog, toast } from '../../parts/overlays.tsx'
import { command, piped } from '../../parts/shell-words.ts'
import { Card, Note } from '../../parts/surfaces.tsx'
import { ListTable } from '../../parts/table.tsx'
import { Time } from '../../parts/values.tsx'
import { may } from '../../state/session.ts'

const LIST = '/admin/v1/apps/{appId}/suppressions'
const ONE = '/admin/v1/apps/{appId}/suppressions/{identifier}'

/** The suppression list: digests of people who get nothing, and a look at one of them. */
export function Suppressions({ appId }: { appId: number }) {
  const list = usePages(LIST, { path: { appId } }, 'suppressions')
  const isAdding = useSignal(false)
  const mayChange = may('operate', appId)
  const add = mayChange && (
    <Button tone="primary" icon={Plus} onClick={() => (isAdding.value = true)}>
      Add people
    </Button>
  )
  return (
    <div class="stack">
      <div class="row spread">
        <p class="quiet">People on the list get nothing any more, transactional pushes included.</p>
        {(list.value.value?.length ?? 0) > 0 && add}
      </div>
      {mayChange && <LookUp appId={appId} onChanged={list.reload} />}
      <Card isFlush>
        <ListTable
          label="Suppression list"
          list={list}
          keyOf={({ id }) => id}
          empty={{
            icon: ShieldBan,
            title: 'Nobody is on the list',
            about: 'Put somebody on it who asked you to stop, or the list of opt-outs of your former provider.',
            action: add,
          }}
          columns={[
            {
              title: 'Digest',
              cell: ({ digest }) => (
                <span class="mono" title={digest}>
                  {digest.slice(0, 12)}…
                </span>
              ),
            },
            { title: 'Reason', cell: ({ reason }) => reason || <span class="quiet">none given</span> },
            { title: 'Since', cell: ({ at }) => <Time at={at} />, isTight: true },
          ]}
        />
      </Card>
      <p class="quiet small-text">
        Only digests are stored, so the list names nobody and an erased person stays on it. Look somebody up by their
        user id.
      </p>
      {isAdding.value && (
        <Add
          appId={appId}
          onClose={() => (isAdding.value = false)}
          onDone={() => {
            isAdding.value = false
            list.reload()
          }}
        />
      )}
    </div>
  )
}

type Found = { identifier: string; entry: Answer<typeof ONE> | undefined }

/** Tells whether one person is on the list, and takes them off. */
function LookUp({ appId, onChanged }: { appId: number; onChanged(): void }) {
  const text = useSignal('')
  const found = useSignal<Found | undefined>(undefined)
  const problem = useSignal<string | undefined>(undefined)
  const isRemoving = useSignal(false)
  const look = async () => {
    const identifier = text.peek().trim()
    problem.value = identifier === '' ? 'Write a user id.' : undefined
    found.value = undefined
    if (identifier === '') return
    try {
      found.value = { identifier, entry: await api.get(ONE, { path: { appId, identifier } }) }
    } catch (error) {
      if (error instanceof ApiError && error.status === 404) found.value = { identifier, entry: undefined }
      else problem.value = messageOf(error)
    }
  }
  const { identifier, entry } = found.value ?? { identifier: '', entry: undefined }
  return (
    <Card>
      <form
        class="stack"
        onSubmit={(event) => {
          event.preventDefault()
          void look()
        }}
      >
        <div class="row rules-look-up">
          <TextField
            label="Is this person on the list?"
            value={text.value}
            onChange={(value) => (text.value = value)}
            error={problem.value}
            placeholder="User id"
            isMono
          />
          <Button type="submit">Look up</Button>
        </div>
        <div role="status">
          {found.value &&
            (entry ? (
              <Note
                tone="warn"
                title={`${identifier} is on the list.`}
                actions={
                  <Button size="small" onClick={() => (isRemoving.value = true)}>
                    Take off the list
                  </Button>
                }
              >
                Since <Time at={entry.at} isExact />
                {entry.reason ? `: ${entry.reason}` : ''}
              </Note>
            ) : (
              <Note title={`${identifier} is not on the list.`} />
            ))}
        </div>
      </form>
      {isRemoving.value && (
        <ConfirmDialog
          title={`Take ${identifier} off the list?`}
          action="Take them off"
          tone="primary"
          run={async () => {
            await api.delete(ONE, { path: { appId, identifier } })
            toast('They are off the list.')
            found.value = undefined
            onChanged()
          }}
          onClose={() => (isRemoving.value = false)}
        >
          <p>They get messages again. Do it only if they asked for it.</p>
          <AsCommand
            command={command`suppressions delete --app ${appId} ${identifier}`}
            call={{
              method: 'DELETE',
              path: `/admin/v1/apps/${appId}/suppressions/${encodeURIComponent(identifier)}`,
            }}
          />
        </ConfirmDialog>
      )}
    </Card>
  )
}

const FORM = row.table<Body<typeof LIST, 'post'>>()(
  row.lines('userIds', 'User ids', {
    hint: 'One a line, at most 1000 at once. They need not exist here.',
    rows: 6,
    autoFocus: true,
    need: 'Name at least one user.',
  }),
  row.text('reason', 'Reason', { isOptional: true, placeholder: 'asked by letter', flag: 'reason' }),
)

function Add({ appId, onClose, onDone }: { appId: number; onClose(): void; onDone(): void }) {
  const form = useTable(FORM, {
    call: (body) => asked('post', LIST, { path: { appId }, body }),
    done({ added, known }) {
      const people = added === 1 ? '1 person is' : `${added} people are`
      toast(`${people} on the list now${known > 0 ? `; ${known} had been on it` : ''}.`)
      onDone()
    },
  })
  return (
    <Dialog title="Add people to the suppression list" onClose={onClose}>
      <TableForm
        form={form}
        submitLabel="Put them on the list"
        cancel={onClose}
        command={piped(form.shown.userIds, command`suppressions import --app ${appId} - ${form.flags}`)}
      />
    </Dialog>
  )
}
