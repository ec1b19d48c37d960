import { api } from '../../api/client.ts'
import { useGet } from '../../api/load.ts'
import { Time } from '../../parts/values.tsx'
import type { PageProps } from '../../state/page.ts'
import { OnePage } from './one.tsx'
import { PromptForm, StoredView } from './prompt-form.tsx'
import { PROMPT_NAMES } from './words.ts'

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
      view={(now) => <StoredView prompt={now} />}
      facts={({ type, updated }) => [
        ['Kind', PROMPT_NAMES[type]],
        ['Changed', <Time key="updated" at={updated} isExact />],
      ]}
    />
  )
}
