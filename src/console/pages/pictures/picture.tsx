import { useSignal } from '@preact/signals'
import { Trash2 } from 'lucide'
import type { Answer } from '../../api/client.ts'
import { useGet } from '../../api/load.ts'
import { Button } from '../../parts/button.tsx'
import { AsCommand } from '../../parts/code.tsx'
import { ConfirmDialog, toast } from '../../parts/overlays.tsx'
import { deletePicture, ownPicture, PICTURE, sidesOf } from '../../parts/picture-address.ts'
import { Reading } from '../../parts/reading.tsx'
import { command } from '../../parts/shell-words.ts'
import { Card, Note, PageHead } from '../../parts/surfaces.tsx'
import { Copyable, formatBytes, KeyValues, Time } from '../../parts/values.tsx'
import type { PageProps } from '../../state/page.ts'
import { href, navigate } from '../../state/router.ts'
import { may } from '../../state/session.ts'

type Whole = Answer<typeof PICTURE>
type Use = Whole['uses'][number]

/** Words for what names a picture, and the page that shows it. */
const USES: Record<Use['kind'], { label: string; path(id: string): string }> = {
  'push template': { label: 'Push template', path: (id) => `push-templates/${encodeURIComponent(id)}` },
  template: { label: 'In-app template', path: (id) => `templates/${encodeURIComponent(id)}` },
  notification: { label: 'Push', path: (id) => `delivery/${id}` },
  'in-app message': { label: 'In-app message', path: (id) => `in-app/${id}` },
  'push approval': { label: 'Push that waits for approval', path: () => 'push/approvals' },
  series: { label: 'Series', path: (id) => `series/${id}` },
  'deep link': { label: 'Link', path: (id) => `links/${id}` },
  app: { label: 'Icon of app', path: () => 'settings' },
}

/** A picture: how it looks, its address, and what uses it. */
export default function OnePicture({ appId, params }: PageProps) {
  const uid = params['pictureUid']!
  const picture = useGet(PICTURE, { path: { appId, uid } })
  const isDeleting = useSignal(false)
  const found = picture.value.value
  return (
    <div class="page">
      <PageHead
        title={found?.name ?? 'Picture'}
        crumbs={[{ label: 'Pictures', href: href(`/apps/${appId}/pictures`) }]}
        actions={
          found &&
          may('campaign', appId) && (
            <Button tone="danger" icon={Trash2} onClick={() => (isDeleting.value = true)}>
              Delete
            </Button>
          )
        }
      />
      <Reading of={picture} lines={8}>
        {(now) => (
          <div class="grid halves ragged">
            <Card title="Picture">
              <div class="picture-frame">
                <img class="picture-whole" src={ownPicture(now.url)} alt={now.name} />
              </div>
            </Card>
            <div class="stack loose">
              <Card title="Facts">
                <KeyValues
                  items={[
                    ['Link', <Copyable key="url" text={now.url} />],
                    ['Kind', now.kind.toUpperCase()],
                    ['Pixels', sidesOf(now)],
                    ['Size', formatBytes(now.size)],
                    ['Stored', <Time key="at" at={now.createdAt} />],
                  ]}
                />
              </Card>
              <Card title="Used by" about="What your own servers, tables and web pages show is not known here.">
                <Uses appId={appId} of={now} />
              </Card>
              <AsCommand command={command`pictures show --app ${appId} ${uid}`} />
            </div>
          </div>
        )}
      </Reading>
      {isDeleting.value && found && (
        <DeletePicture appId={appId} picture={found} onClose={() => (isDeleting.value = false)} />
      )}
    </div>
  )
}

function Uses({ appId, of: { uses, hasMore } }: { appId: number; of: Whole }) {
  if (uses.length === 0) return <p class="quiet">Nothing that is stored here uses it.</p>
  return (
    <ul class="plain-list">
      {uses.map(({ kind, id }) => (
        <li key={kind + id}>
          <a href={href(`/apps/${appId}/${USES[kind].path(id)}`)}>
            {USES[kind].label} {id}
          </a>
        </li>
      ))}
      {hasMore && <li class="quiet">and others</li>}
    </ul>
  )
}

function DeletePicture({ appId, picture, onClose }: { appId: number; picture: Whole; onClose(): void }) {
  const { uid, name, uses } = picture
  const isUsed = uses.length > 0
  return (
    <ConfirmDialog
      title={`Delete ${name}?`}
      action={isUsed ? 'Delete it all the same' : 'Delete the picture'}
      {...(isUsed && { typed: 'delete' })}
      run={async () => {
        await deletePicture(appId, uid, isUsed)
        toast(`${name} is deleted.`)
        navigate(`/apps/${appId}/pictures`)
      }}
      onClose={onClose}
    >
      {isUsed ? (
        <Note tone="warn" title="It is in use.">
          What uses it shows nothing in its place from then on, also messages that were sent.
        </Note>
      ) : (
        <p>Its link shows nothing from then on. Copies that phones and browsers keep stay until they drop them.</p>
      )}
    </ConfirmDialog>
  )
}
