import { useGet } from '../../api/load.ts'
import { Reading } from '../../parts/reading.tsx'
import { PageHead } from '../../parts/surfaces.tsx'
import type { PageProps } from '../../state/page.ts'
import { href } from '../../state/router.ts'
import { Editor } from './editor.tsx'

/** A template: its editor, its tags and its versions. */
export default function TemplatePage({ appId, params }: PageProps) {
  const uid = params['uid']!
  const template = useGet('/admin/v1/apps/{appId}/templates/{uid}', { path: { appId, uid } })
  const whole = template.value.value
  if (whole) return <Editor key={uid} appId={appId} template={whole} onSaved={template.set} />
  return (
    <div class="page">
      <PageHead
        title="In-app template"
        crumbs={[{ label: 'In-app templates', href: href(`/apps/${appId}/templates`) }]}
      />
      <Reading of={template} lines={6} />
    </div>
  )
}
