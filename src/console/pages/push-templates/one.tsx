import { type Signal, useSignal } from '@preact/signals'
import { Pencil, Send } from 'lucide'
import { api } from '../../api/client.ts'
import { type Loaded, useGet } from '../../api/load.ts'
import { Button } from '../../parts/button.tsx'
import { AsCommand, JsonView } from '../../parts/code.tsx'
import { ConfirmDialog, toast } from '../../parts/overlays.tsx'
import { Reading } from '../../parts/reading.tsx'
import { command } from '../../parts/shell-words.ts'
import { Card, PageHead } from '../../parts/surfaces.tsx'
import { KeyValues, More, Time } from '../../parts/values.tsx'
import { VersionList } from '../../parts/version-list.tsx'
import type { PageProps } from '../../state/page.ts'
import { href, navigate } from '../../state/router.ts'
import { currentApp, may } from '../../state/session.ts'
import { MockUp } from '../push/preview.tsx'
import { type PushTemplate, partsOf, replacing, shownOfTemplate, TEMPLATE } from './content.ts'

const VERSIONS = '/admin/v1/apps/{appId}/push-templates/{uid}/versions'

/** A push template: what it says, its versions, and the buttons that send, change and delete it. */
export default function OnePushTemplate({ appId, params }: PageProps) {
  const uid = params['pushTemplateUid']!
  const template = useGet(TEMPLATE, { path: { appId, uid } })
  const isDeleting = useSignal(false)
  const found = template.value.value
  return (
    <div class="page">
      <PageHead
        title={found?.name ?? 'Push template'}
        crumbs={[{ label: 'Push templates', href: href(`/apps/${appId}/push-templates`) }]}
        actions={found && may('campaign', appId) && <Actions appId={appId} uid={uid} isDeleting={isDeleting} />}
      />
      <Reading of={template} lines={8}>
        {(now) => <Whole appId={appId} found={now} template={template} />}
      </Reading>
      {isDeleting.value && found && (
        <ConfirmDialog
          title={`Delete ${found.name}?`}
          action="Delete the push template"
          run={async () => {
            await api.delete(TEMPLATE, { path: { appId, uid } })
            toast(`${found.name} is deleted.`)
            navigate(`/apps/${appId}/push-templates`)
          }}
          onClose={() => (isDeleting.value = false)}
        >
          <p>
            All its versions go with it, and this cannot be undone. What was sent or is scheduled keeps its content;
            servers that name it are refused, and a series that names it breaks.
          </p>
        </ConfirmDialog>
      )}
    </div>
  )
}

function Actions({ appId, uid, isDeleting }: { appId: number; uid: string; isDeleting: Signal<boolean> }) {
  const named = encodeURIComponent(uid)
  return (
    <>
      <Button icon={Pencil} href={href(`/apps/${appId}/push-templates/${named}/edit`)}>
        Edit
      </Button>
      <Button tone="primary" icon={Send} href={href(`/apps/${appId}/push/new?template=${named}`)}>
        Start a push from it
      </Button>
      <Button tone="danger" onClick={() => (isDeleting.value = true)}>
        Delete
      </Button>
    </>
  )
}

interface WholeProps {
  appId: number
  found: PushTemplate
  template: Loaded<PushTemplate>
}

function Whole({ appId, found, template }: WholeProps) {
  const { uid, version, createdAt, updatedAt } = found
  return (
    <div class="stack loose">
      <div class="grid halves">
        <Says title="What it says" of={found} />
        <Card title="About it">
          <KeyValues
            items={[
              [
                'Identifier',
                <span key="uid" class="mono">
                  {uid}
                </span>,
              ],
              ['Version', String(version)],
              ['Created', <Time key="created" at={createdAt} isExact />],
              ['Changed', <Time key="changed" at={updatedAt} isExact />],
            ]}
          />
        </Card>
      </div>
      <Versions key={version} appId={appId} found={found} template={template} />
      <AsCommand
        command={command`push-templates preview --app ${appId} ${uid}`}
        call={{
          method: 'POST',
          path: `/admin/v1/apps/${appId}/push-templates/${encodeURIComponent(uid)}/preview`,
          body: {},
        }}
      />
    </div>
  )
}

/** The card of what a push template, or a version of it, says. */
function Says({ title, of, actions }: { title: string; of: object; actions?: preact.ComponentChildren }) {
  return (
    <Card title={title} {...(actions !== undefined && { actions })}>
      <div class="stack">
        <MockUp
          platform="ios"
          shown={shownOfTemplate(of)}
          app={currentApp.value?.name ?? 'App'}
          isDark={false}
          isOpen
        />
        <More label="All of it">
          <JsonView value={partsOf(of)} />
        </More>
      </div>
    </Card>
  )
}

function Versions({ appId, found, template }: WholeProps) {
  const { uid, version } = found
  const chosen = useSignal<number | undefined>(undefined)
  return (
    <div class="grid halves">
      <VersionList
        about="A version never changes. The newest 100 are kept."
        version={version}
        read={(query, signal) => api.get(VERSIONS, { path: { appId, uid }, query, signal })}
        verb="Show"
        onChoose={(one) => (chosen.value = one)}
      />
      {chosen.value !== undefined && (
        <Earlier key={chosen.value} appId={appId} found={found} template={template} version={chosen.value} />
      )}
    </div>
  )
}

function Earlier({ appId, found, template, version }: WholeProps & { version: number }) {
  const { uid } = found
  const path = { appId, uid }
  const old = useGet(`${VERSIONS}/{version}`, { path: { ...path, version } })
  const restore = async (of: object) => {
    const saved = await api.put(TEMPLATE, { path, body: replacing(partsOf(of)) })
    toast(`Version ${saved.version} is the same as version ${version}.`)
    template.set(saved)
  }
  return (
    <Reading of={old} lines={5}>
      {(now) => (
        <Says
          title={`Version ${version}`}
          of={now}
          actions={
            may('campaign', appId) && (
              <Button size="small" onClick={() => restore(now)}>
                Restore version {version}
              </Button>
            )
          }
        />
      )}
    </Reading>
  )
}
