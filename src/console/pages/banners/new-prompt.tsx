import { PageHead } from '../../parts/surfaces.tsx'
import type { PageProps } from '../../shell/page.ts'
import { href } from '../../shell/router.ts'
import { PromptForm } from './prompt-form.tsx'

export default function NewPrompt({ appId }: PageProps) {
  return (
    <div class="page">
      <PageHead
        title="New prompt"
        crumbs={[{ label: 'Banners and prompts', href: href(`/apps/${appId}/banners`) }]}
        about="It asks in your words; only after a yes the browser asks, too. It needs a gateway for browsers."
      />
      <PromptForm appId={appId} />
    </div>
  )
}
