import { useSignal } from '@preact/signals'
import { api } from '../../api/client.ts'
import { useGet, useList } from '../../api/load.ts'
import { Button } from '../../parts/button.tsx'
import { ConfirmDialog, toast } from '../../parts/overlays.tsx'
import { Reading } from '../../parts/reading.tsx'
import { Card } from '../../parts/surfaces.tsx'
import { ListTable } from '../../parts/table.tsx'
import { Time } from '../../parts/values.tsx'
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
  const list = useList(
    async (after, signal) => {
      const query = after === undefined ? { limit: 50 } : { limit: 50, after }
      const path = { appId, uid }
      const { versions, next } = await api.get('/admin/v1/apps/{appId}/templates/{uid}/versions', {
        path,
        query,
        signal,
      })
      return { items: versions, next }
    },
    [appId, uid, version],
  )
  return (
    <div class="grid halves">
      <Card
        title="Versions"
        about="A version never changes. A message keeps the one that was newest when it was sent."
        isFlush
      >
        <ListTable
          label="Versions"
          list={list}
          keyOf={(one) => one.version}
          columns={[
            {
              title: 'Version',
              cell: (one) => (
                <span class={one.version === version ? '' : undefined}>
                  {one.version}
                  {one.version === version ? ', the newest' : ''}
                </span>
              ),
            },
            { title: 'Saved', cell: (one) => <Time at={one.createdAt} /> },
            {
              title: '',
              isTight: true,
              cell: (one) =>
                one.version !== version && (
                  <Button size="small" onClick={() => (chosen.value = one.version)}>
                    Compare version {one.version}
                  </Button>
                ),
            },
          ]}
        />
      </Card>
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
