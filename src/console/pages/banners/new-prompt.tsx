import { PageHead } from '../../parts/surfaces.tsx'
import type { PageProps } from '../../state/page.ts'
import { crumbs } from './one.tsx'
import { PromptForm } from './prompt-form.tsx'

export default function NewPrompt({ appId }: PageProps) {
  return (
    <div class="page">
      <PageHead
        title="New prompt"
        crumbs={crumbs(appId)}
        about="It asks in your words; only after a yes the browser asks, too. It needs a gateway for browsers."
      />
      <PromptForm appId={appId} />
    </div>
  )
}
