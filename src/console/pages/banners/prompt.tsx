import { api } from '../../api/client.ts'
import { useGet } from '../../api/load.ts'
import { JsonView } from '../../parts/code.tsx'
import { Card } from '../../parts/surfaces.tsx'
import type { PageProps } from '../../state/page.ts'
import { OnePage } from './one.tsx'
import { PromptForm } from './prompt-form.tsx'

const PROMPT = '/admin/v1/apps/{appId}/prompts/{name}'

/** A web prompt, to change and to delete. */
export default function PromptPage({ appId, params }: PageProps) {
  const name = params['promptName']!
  const path = { appId, name }
  const prompt = useGet(PROMPT, { path })
  return (
    <OnePage
      appId={appId}
      of={prompt}
      title={name}
      what="prompt"
      stays="Who said yes stays subscribed."
      remove={() => api.delete(PROMPT, { path })}
      form={(now) => <PromptForm appId={appId} prompt={now} />}
      shown={(now) => (
        <Card title="Its file">
          <JsonView value={now.design} />
        </Card>
      )}
    />
  )
}
