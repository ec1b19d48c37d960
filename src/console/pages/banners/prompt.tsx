import { useSignal } from '@preact/signals'
import { Trash2 } from 'lucide'
import { type Answer, api } from '../../api/client.ts'
import { useLoad } from '../../api/load.ts'
import { Button } from '../../parts/button.tsx'
import { JsonView } from '../../parts/code.tsx'
import { ConfirmDialog, toast } from '../../parts/overlays.tsx'
import { Card, Failed, PageHead, Skeleton } from '../../parts/surfaces.tsx'
import type { PageProps } from '../../shell/page.ts'
import { href, navigate } from '../../shell/router.ts'
import { may } from '../../shell/session.ts'
import { PromptForm } from './prompt-form.tsx'

type Prompt = Answer<'/admin/v1/apps/{appId}/prompts/{name}'>

/** One web prompt, to change and to delete. */
export default function PromptPage({ appId, params }: PageProps) {
  const name = params['promptName']!
  const path = { appId, name }
  const isAsked = useSignal(false)
  const prompt = useLoad<Prompt>(
    (signal) => api.get('/admin/v1/apps/{appId}/prompts/{name}', { path, signal }),
    [appId, name],
  )
  const now = prompt.value.value
  const canWrite = may('campaign', appId)
  return (
    <div class="page">
      <PageHead
        title={name}
        crumbs={[{ label: 'Banners and prompts', href: href(`/apps/${appId}/banners`) }]}
        actions={
          canWrite &&
          now && (
            <Button icon={Trash2} onClick={() => (isAsked.value = true)}>
              Delete
            </Button>
          )
        }
      />
      {prompt.error.value !== undefined ? (
        <Failed error={prompt.error.value} retry={prompt.reload} />
      ) : now === undefined ? (
        <Skeleton lines={8} />
      ) : canWrite ? (
        <PromptForm appId={appId} prompt={now} />
      ) : (
        <Card title="Its file">
          <JsonView value={now.design} />
        </Card>
      )}
      {isAsked.value && (
        <ConfirmDialog
          title="Delete this prompt?"
          action="Delete the prompt"
          run={async () => {
            await api.delete('/admin/v1/apps/{appId}/prompts/{name}', { path })
            toast('The prompt is deleted.')
            navigate(`/apps/${appId}/banners`)
          }}
          onClose={() => (isAsked.value = false)}
        >
          <p>Browsers that have it already show it for an hour at most. Who said yes stays subscribed.</p>
        </ConfirmDialog>
      )}
    </div>
  )
}
