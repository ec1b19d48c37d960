import { useSignal } from '@preact/signals'
import { api } from '../../api/client.ts'
import { useGet } from '../../api/load.ts'
import { Button } from '../../parts/button.tsx'
import { ConfirmDialog, toast } from '../../parts/overlays.tsx'
import { Reading } from '../../parts/reading.tsx'
import { Card } from '../../parts/surfaces.tsx'
import { VersionList } from '../../parts/version-list.tsx'
import { differencesOf } from './differences.ts'
import type { Draft, Template } from './document.ts'
import { MessageFrame } from './frame.tsx'

interface VersionsProps {
  appId: number
  template: Template
  /** Stores a draft as the newest version; undefined for who may not. */
  restore: ((draft: Draft) => Promise<Template>) | undefined
}

/** Every version, and how one differs from the newest. */
export function Versions({ appId, template, restore }: VersionsProps) {
  const { uid, version } = template
  const chosen = useSignal(Math.max(1, version - 1))
  return (
    <div class="grid halves">
      <VersionList
        key={uid}
        about="A version never changes. A message keeps the one that was newest when it was sent."
        version={version}
        read={(query, signal) =>
          api.get('/admin/v1/apps/{appId}/templates/{uid}/versions', { path: { appId, uid }, query, signal })
        }
        verb="Compare"
        onChoose={(one) => (chosen.value = one)}
      />
      {version > 1 && (
        <Compared key={chosen.value} appId={appId} template={template} version={chosen.value} restore={restore} />
      )}
    </div>
  )
}

function Compared({ appId, template, version, restore }: VersionsProps & { version: number }) {
  const isAsking = useSignal(false)
  const { uid } = template
  const old = useGet('/admin/v1/apps/{appId}/templates/{uid}/versions/{version}', { path: { appId, uid, version } })
  const before = old.value.value
  if (!before) {
    return <Reading of={old} lines={5} />
  }
  const draftOf = ({ content, tags, sample }: Draft): Draft => ({ content, tags, sample })
  const differences = differencesOf(draftOf(before), draftOf(template))
  return (
    <Card
      title={`From version ${version} to ${template.version}`}
      actions={
        restore &&
        differences.length > 0 && (
          <Button size="small" onClick={() => (isAsking.value = true)}>
            Restore version {version}
          </Button>
        )
      }
    >
      <MessageFrame label={`Version ${version}`} width={172} {...before} values={before.sample} />
      {differences.length === 0 && <p class="quiet">Both hold the same.</p>}
      {differences.map(({ path, before: was, after }) => (
        <div key={path} class="difference">
          <span class="mono small-text">{path}</span>
          {was !== undefined && (
            <span>
              <span class="hidden">Before: </span>
              <del>{was}</del>
            </span>
          )}
          {after !== undefined && (
            <span>
              <span class="hidden">After: </span>
              <ins>{after}</ins>
            </span>
          )}
        </div>
      ))}
      {isAsking.value && restore && (
        <ConfirmDialog
          title={`Restore version ${version}`}
          action="Restore this version"
          tone="primary"
          run={async () => {
            const saved = await restore(draftOf(before))
            toast(`Version ${saved.version} is the same as version ${version}.`)
          }}
          onClose={() => (isAsking.value = false)}
        >
          <p>It becomes the newest version, {template.version + 1}. Changes that you did not save are lost.</p>
        </ConfirmDialog>
      )}
    </Card>
  )
}
