import { useSignal } from '@preact/signals'
import { Trash2 } from 'lucide'
import type { ComponentChildren } from 'preact'
import type { Loaded } from '../../api/load.ts'
import { Button } from '../../parts/button.tsx'
import { JsonView } from '../../parts/code.tsx'
import { ConfirmDialog, toast } from '../../parts/overlays.tsx'
import { Reading } from '../../parts/reading.tsx'
import { Card, PageHead } from '../../parts/surfaces.tsx'
import { KeyValues, More } from '../../parts/values.tsx'
import { href, navigate } from '../../state/router.ts'
import { may } from '../../state/session.ts'
import { BesideView } from './visitor-view.tsx'

interface OneProps<T> {
  appId: number
  of: Loaded<T>
  title: string
  what: 'banner' | 'prompt'
  /** Sentence about what stays when the thing is deleted. */
  stays: string
  remove(): Promise<unknown>
  form(now: T): ComponentChildren
  /** The same for people who may not change it: as visitors see it, and beside it. */
  view(now: T): ComponentChildren
  facts(now: T): Parameters<typeof KeyValues>[0]['items']
}

/** The page of a banner or a prompt: to change it, to look at it, and to delete it. */
export function OnePage<T>({ appId, of, title, what, stays, remove, form, view, facts }: OneProps<T>) {
  const isAsked = useSignal(false)
  const canWrite = may('campaign', appId)
  return (
    <div class="page">
      <PageHead
        title={title}
        crumbs={crumbs(appId)}
        actions={
          canWrite &&
          of.value.value && (
            <Button tone="danger" icon={Trash2} onClick={() => (isAsked.value = true)}>
              Delete
            </Button>
          )
        }
      />
      <Reading of={of} lines={8}>
        {canWrite
          ? form
          : (now) => (
              <div class="banner-editor">
                <Card title="About it">
                  <div class="stack">
                    <KeyValues items={facts(now)} />
                    <More label="All of it">
                      <JsonView value={now} />
                    </More>
                  </div>
                </Card>
                <BesideView>{view(now)}</BesideView>
              </div>
            )}
      </Reading>
      {isAsked.value && (
        <ConfirmDialog
          title={`Delete this ${what}?`}
          action={`Delete the ${what}`}
          run={async () => {
            await remove()
            toast(`The ${what} is deleted.`)
            navigate(`/apps/${appId}/banners`)
          }}
          onClose={() => (isAsked.value = false)}
        >
          <p>Browsers that have it already show it for an hour at most. {stays}</p>
        </ConfirmDialog>
      )}
    </div>
  )
}

export const crumbs = (appId: number) => [{ label: 'Banners and prompts', href: href(`/apps/${appId}/banners`) }]
