import { useSignal } from '@preact/signals'
import { MessageSquareHeart, Plus, Trash2 } from 'lucide'
import { type Answer, api, asked, type Body } from '../../api/client.ts'
import { type LoadedList, useList } from '../../api/load.ts'
import * as row from '../../forms/rows.ts'
import { TableForm, useTable } from '../../forms/table-form.tsx'
import { Button, IconButton } from '../../parts/button.tsx'
import { AsCommand } from '../../parts/code.tsx'
import { ConfirmDialog, Dialog, toast } from '../../parts/overlays.tsx'
import { command } from '../../parts/shell-words.ts'
import { Badge, Card } from '../../parts/surfaces.tsx'
import { ListTable } from '../../parts/table.tsx'
import { may } from '../../state/session.ts'

const PURPOSES = '/admin/v1/apps/{appId}/purposes'
const ONE = '/admin/v1/apps/{appId}/purposes/{uid}'
type Purpose = Answer<typeof PURPOSES>['purposes'][number]

/** Purposes that people allow or refuse, such as news and offers. */
export function Purposes({ appId }: { appId: number }) {
  const list = useList(
    async (_, signal) => {
      const { purposes } = await api.get(PURPOSES, { path: { appId }, signal })
      return { items: purposes, next: null }
    },
    [appId],
  )
  const edited = useSignal<Purpose | 'new' | undefined>(undefined)
  const deleted = useSignal<Purpose | undefined>(undefined)
  const mayChange = may('operate', appId)
  const make = mayChange && (
    <Button tone="primary" icon={Plus} onClick={() => (edited.value = 'new')}>
      New purpose
    </Button>
  )
  return (
    <div class="stack">
      <div class="row spread">
        <p class="quiet">A push or an in-app message that names a purpose skips people who refused it.</p>
        {(list.value.value?.length ?? 0) > 0 && make}
      </div>
      <Card isFlush>
        <ListTable
          label="Purposes"
          list={list}
          keyOf={({ uid }) => uid}
          empty={{
            icon: MessageSquareHeart,
            title: 'No purposes yet',
            about: 'Create one for each kind of message that people may refuse, such as news and offers.',
            action: make,
          }}
          columns={[
            {
              title: 'Name',
              cell: ({ uid, name }) => (
                <span class="stack tight">
                  <span>{name}</span>
                  <span class="quiet mono small-text">{uid}</span>
                </span>
              ),
            },
            { title: 'About', cell: ({ description }) => description },
            { title: 'Who chose nothing', cell: defaultOf, isTight: true },
            {
              title: '',
              isTight: true,
              cell: (purpose) =>
                mayChange && (
                  <span class="rules-actions">
                    <Button size="small" onClick={() => (edited.value = purpose)}>
                      Edit<span class="hidden"> {purpose.name}</span>
                    </Button>
                    <IconButton
                      icon={Trash2}
                      size="small"
                      label={`Delete ${purpose.name}`}
                      onClick={() => (deleted.value = purpose)}
                    />
                  </span>
                ),
            },
          ]}
        />
      </Card>
      {edited.value && (
        <PurposeDialog
          appId={appId}
          purpose={edited.value === 'new' ? undefined : edited.value}
          list={list}
          onClose={() => (edited.value = undefined)}
        />
      )}
      {deleted.value && (
        <DeletePurpose appId={appId} {...deleted.value} list={list} onClose={() => (deleted.value = undefined)} />
      )}
    </div>
  )
}

const defaultOf = ({ default: isAllowed, required }: Purpose) =>
  required ? (
    <Badge>cannot be refused</Badge>
  ) : (
    <Badge tone={isAllowed ? 'good' : 'quiet'}>{isAllowed ? 'gets it' : 'does not get it'}</Badge>
  )

/** Words of the default, as the command line has them, by the value of the interface. */
const wordOf = (isAllowed: unknown) => (isAllowed === false ? 'refuse' : 'allow')

const FORM = row.table<Body<typeof ONE, 'put'>>()(
  row.text('name', 'Name', {
    hint: 'People read it where they choose.',
    autoFocus: true,
    sample: 'News',
    need: 'Give it a name.',
    flag: 'name',
  }),
  row.text('uid', 'Identifier', {
    path: '',
    isMono: true,
    hint: 'Sends name it. It cannot be changed later.',
    sample: 'news',
    need: 'Give it an identifier, such as news.',
  }),
  row.text('description', 'About', {
    isOptional: true,
    empty: 'null',
    flag: 'description',
    placeholder: 'Once a week',
  }),
  row.radio('default', 'People who chose nothing', {
    first: 'allow',
    options: row.choices({ allow: 'get it', refuse: 'do not get it' }),
    to: (word) => word === 'allow',
    from: wordOf,
    flag: 'default',
    say: wordOf,
  }),
  row.toggle('required', 'Nobody can refuse it', {
    hint: 'For what people need, such as messages about their account.',
    flag: 'required',
  }),
)

interface DialogProps {
  appId: number
  list: LoadedList<Purpose>
  onClose(): void
}

function PurposeDialog({ appId, purpose, list, onClose }: DialogProps & { purpose: Purpose | undefined }) {
  const form = useTable(FORM, {
    ...(purpose ? { first: { ...fromStored(purpose) } } : { draft: `purpose-${appId}` }),
    call: (body, { uid }) => asked('put', ONE, { path: { appId, uid: purpose?.uid ?? uid.trim() }, body }),
    done: () => {
      toast('The purpose is saved.')
      list.reload()
      onClose()
    },
  })
  return (
    <Dialog title={purpose ? purpose.name : 'New purpose'} onClose={onClose}>
      <TableForm
        form={form}
        extras={purpose ? { uid: null } : {}}
        submitLabel={purpose ? 'Save the purpose' : 'Create the purpose'}
        cancel={onClose}
        command={command`purposes set --app ${appId} ${purpose?.uid ?? form.shown.uid.trim()} ${form.flags}`}
      />
    </Dialog>
  )
}

const fromStored = ({ uid, name, description, default: isAllowed, required }: Purpose) => ({
  uid,
  name,
  description: description ?? '',
  default: wordOf(isAllowed),
  required,
})

function DeletePurpose({ appId, uid, name, list, onClose }: DialogProps & Pick<Purpose, 'uid' | 'name'>) {
  const path = { appId, uid }
  return (
    <ConfirmDialog
      title={`Delete the purpose ${name}?`}
      action="Delete the purpose"
      run={async () => {
        await api.delete(ONE, { path })
        toast('The purpose is deleted.')
        list.reload()
      }}
      onClose={onClose}
    >
      <p>What people chose for it is forgotten. Sends that name it are refused from then on.</p>
      <AsCommand
        command={command`purposes delete --app ${appId} ${uid}`}
        call={{ method: 'DELETE', path: `/admin/v1/apps/${appId}/purposes/${uid}` }}
      />
    </ConfirmDialog>
  )
}
