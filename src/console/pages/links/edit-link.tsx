import { useGet } from '../../api/load.ts'
import { Reading } from '../../parts/reading.tsx'
import { Card, PageHead } from '../../parts/surfaces.tsx'
import type { PageProps } from '../../state/page.ts'
import { href } from '../../state/router.ts'
import { LinkForm } from './link-form.tsx'
import { nameOf, shortUrl } from './words.ts'

export default function EditLink({ appId, params }: PageProps) {
  const id = params['linkId']!
  const link = useGet('/admin/v1/apps/{appId}/deep-links/{id}', { path: { appId, id } })
  const now = link.value.value
  return (
    <div class="page narrow">
      <PageHead
        title="Edit the link"
        crumbs={[
          { label: 'Links', href: href(`/apps/${appId}/links`) },
          { label: now ? nameOf(now) : '…', href: href(`/apps/${appId}/links/${id}`) },
        ]}
        about={now && `${shortUrl(now.url)} stays as it is, because it may be printed.`}
      />
      <Card>
        <Reading of={link} lines={6}>
          {(now) => <LinkForm appId={appId} link={now} base={undefined} />}
        </Reading>
      </Card>
    </div>
  )
}
