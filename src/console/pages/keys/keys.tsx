import { useSignal } from '@preact/signals'
import { KeyRound, Plus, RefreshCw } from 'lucide'
import { api } from '../../api/client.ts'
import { type Loaded, useGet } from '../../api/load.ts'
import { Button } from '../../parts/button.tsx'
import { ConfirmDialog, toast } from '../../parts/overlays.tsx'
import { ShownOnce } from '../../parts/shown-once.tsx'
import { Badge, Card, Empty, Failed, PageHead, Skeleton } from '../../parts/surfaces.tsx'
import { Table } from '../../parts/table.tsx'
import { Copyable, Time } from '../../parts/values.tsx'
import type { PageProps } from '../../state/page.ts'
import { sentence } from '../delivery/words.ts'
import { NewKeyDialog } from './new-key.tsx'
import { RotateDialog } from './rotate.tsx'
import { SignedUsers } from './signed-users.tsx'
import { Snippets } from './snippets.tsx'
import { type IssuedKey, KEYS, OWN, type OwnKey } from './words.ts'

type Keys = { own: OwnKey[]; issued: IssuedKey[] }
interface Secret {
  title: string
  value: string
  about: string
  file: string
}

/** The keys of an app, and how programs use them. */
export default function KeysPage({ appId }: PageProps) {
  const keys = useGet(KEYS, { path: { appId } })
  const secret = useSignal<Secret | undefined>(undefined)
  const newSecretKey = useSignal<string | undefined>(undefined)
  const now = keys.value.value
  const show = (kind: OwnKey['kind'], value: string) => {
    keys.reload()
    if (kind === 'secret') newSecretKey.value = value
    const { name, about } = OWN[kind]
    secret.value = { title: `Your new ${name}`, value, about, file: `${kind}-key.txt` }
  }
  return (
    <div class="page">
      <PageHead
        title="Keys"
        about="Apps and servers prove with them which app they belong to. Only their beginnings are kept here."
      />
      {keys.error.value !== undefined ? (
        <Failed error={keys.error.value} retry={keys.reload} />
      ) : now === undefined ? (
        <Card>
          <Skeleton lines={6} />
        </Card>
      ) : (
        <div class="stack loose">
          <Own appId={appId} keys={now.own} onMade={show} />
          <SignedUsers appId={appId} onMade={(value) => show('signing', value)} />
          <Issued appId={appId} keys={now.issued} loaded={keys} onMade={(made) => (secret.value = made)} />
          <Snippets appId={appId} secretKey={newSecretKey.value} />
        </div>
      )}
      {secret.value && <ShownOnce {...secret.value} onClose={() => (secret.value = undefined)} />}
    </div>
  )
}

interface OwnProps {
  appId: number
  keys: readonly OwnKey[]
  onMade(kind: OwnKey['kind'], value: string): void
}

function Own({ appId, keys, onMade }: OwnProps) {
  const rotating = useSignal<OwnKey['kind'] | undefined>(undefined)
  return (
    <Card title="Keys of the app" about="Replacing one can leave the old one working for a while." isFlush>
      <Table
        label="Keys of the app"
        rows={keys}
        keyOf={({ kind, hint }) => kind + hint}
        columns={[
          {
            title: 'Kind',
            cell: ({ kind }) => (
              <>
                <strong>{sentence(OWN[kind].name)}</strong>
                <div class="quiet small-text">{OWN[kind].about}</div>
              </>
            ),
          },
          {
            title: 'Key',
            isTight: true,
            cell: ({ hint, value }) =>
              value === null ? <span class="mono">{hint}</span> : <Copyable text={value}>{hint}</Copyable>,
          },
          { title: 'Created', cell: ({ created }) => <Time at={created} />, isTight: true },
          {
            title: 'State',
            isTight: true,
            cell: ({ ends }) =>
              ends === null ? (
                <Badge tone="good">Works</Badge>
              ) : (
                <Badge tone="warn">
                  Ends <Time at={ends} isDue />
                </Badge>
              ),
          },
          {
            title: '',
            isTight: true,
            cell: ({ kind, ends }) =>
              ends === null && (
                <Button size="small" icon={RefreshCw} onClick={() => (rotating.value = kind)}>
                  Replace<span class="hidden"> the {OWN[kind].name}</span>
                </Button>
              ),
          },
        ]}
      />
      {rotating.value && (
        <RotateDialog
          appId={appId}
          kind={rotating.value}
          onClose={() => (rotating.value = undefined)}
          onMade={(key) => {
            const kind = rotating.peek()!
            rotating.value = undefined
            onMade(kind, key)
          }}
        />
      )}
    </Card>
  )
}

interface IssuedProps {
  appId: number
  keys: readonly IssuedKey[]
  loaded: Pick<Loaded<Keys>, 'reload'>
  onMade(made: Secret): void
}

function Issued({ appId, keys, loaded, onMade }: IssuedProps) {
  const isMaking = useSignal(false)
  const revoking = useSignal<IssuedKey | undefined>(undefined)
  const make = (
    <Button size="small" icon={Plus} onClick={() => (isMaking.value = true)}>
      New key
    </Button>
  )
  return (
    <Card
      title="Keys with scopes"
      about="One for each program, with no more rights than it needs: it can be revoked alone."
      actions={keys.length > 0 && make}
      isFlush
    >
      <Table
        label="Keys with scopes"
        rows={keys}
        keyOf={({ id }) => id}
        empty={
          <Empty icon={KeyRound} title="No keys with scopes yet" action={make}>
            A newsletter that only sends needs no right to read your users.
          </Empty>
        }
        columns={[
          { title: 'Name', cell: ({ name, kind }) => name || (kind === 'server' ? 'Server key' : 'REST key') },
          { title: 'Kind', cell: ({ kind }) => (kind === 'server' ? 'Server' : 'REST'), isTight: true },
          { title: 'Key', cell: ({ hint }) => <span class="mono">{hint}</span>, isTight: true },
          { title: 'Scopes', cell: ({ scope }) => scope.join(', ') },
          { title: 'Last used', cell: ({ used }) => (used === null ? 'never' : <Time at={used} />), isTight: true },
          {
            title: '',
            isTight: true,
            cell: (key) =>
              key.revoked === null ? (
                <Button size="small" onClick={() => (revoking.value = key)}>
                  Revoke<span class="hidden"> {key.name}</span>
                </Button>
              ) : (
                <Badge>Revoked</Badge>
              ),
          },
        ]}
      />
      {isMaking.value && (
        <NewKeyDialog
          appId={appId}
          onClose={() => (isMaking.value = false)}
          onMade={({ kind, key, name }) => {
            isMaking.value = false
            loaded.reload()
            onMade({
              title: name === '' ? 'Your new key' : `Your new key ${name}`,
              value: key,
              about:
                kind === 'server'
                  ? 'Use it as the HTTP Basic password, with the API key of the app as the user name.'
                  : 'Use it as the HTTP Basic user name; the password is ignored.',
              file: `${kind}-key.txt`,
            })
          }}
        />
      )}
      {revoking.value && (
        <ConfirmDialog
          title={`Revoke the key ${revoking.value.name || revoking.value.hint}?`}
          action="Revoke the key"
          typed={revoking.value.hint.replace('…', '')}
          run={async () => {
            await api.delete('/admin/v1/apps/{appId}/keys/{id}', { path: { appId, id: revoking.value!.id } })
            loaded.reload()
            toast('The key is revoked.')
          }}
          onClose={() => (revoking.value = undefined)}
        >
          <p>Programs that use it are refused within a second. This cannot be taken back.</p>
          <p class="quiet">
            Last used: <Time at={revoking.value.used} />
          </p>
        </ConfirmDialog>
      )}
    </Card>
  )
}
