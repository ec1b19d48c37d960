import { Bell, PanelBottom, Plus } from 'lucide'
import { usePages } from '../../api/load.ts'
import { Button } from '../../parts/button.tsx'
import { Badge, Card, PageHead } from '../../parts/surfaces.tsx'
import { ListTable } from '../../parts/table.tsx'
import { Time } from '../../parts/values.tsx'
import type { PageProps } from '../../state/page.ts'
import { href } from '../../state/router.ts'
import { may } from '../../state/session.ts'
import { PLACES, PROMPT_NAMES } from './words.ts'

/** Elements of the app on web pages: banners that lead to it, and prompts that ask for permission to send pushes. */
export default function Banners({ appId }: PageProps) {
  const path = { appId }
  const banners = usePages('/admin/v1/apps/{appId}/banners', { path }, 'items')
  const prompts = usePages('/admin/v1/apps/{appId}/prompts', { path }, 'items')
  const canWrite = may('campaign', appId)
  const newBanner = canWrite && (
    <Button icon={Plus} href={href(`/apps/${appId}/banners/new`)}>
      New banner
    </Button>
  )
  const newPrompt = canWrite && (
    <Button icon={Plus} href={href(`/apps/${appId}/banners/prompts/new`)}>
      New prompt
    </Button>
  )
  return (
    <div class="page">
      <PageHead
        title="Banners and prompts"
        about="What your web pages show through the web SDK. Browsers learn of a change within an hour."
      />
      <Card
        title="Banners"
        about="Lead visitors on phones from a web page to the app."
        actions={banners.value.value?.length ? newBanner : undefined}
        isFlush
      >
        <ListTable
          label="Banners"
          list={banners}
          keyOf={({ uuid }) => uuid}
          empty={{
            icon: PanelBottom,
            title: 'No banners yet',
            about: 'A banner opens a link in the app, or leads to its store.',
            action: newBanner,
          }}
          columns={[
            {
              title: 'Banner',
              cell: ({ uuid, labels }) => (
                <a class="cell-link" href={href(`/apps/${appId}/banners/${uuid}`)}>
                  {labels.heading}
                </a>
              ),
            },
            { title: 'Opens', cell: ({ link }) => <span class="mono breaks">{link}</span> },
            { title: 'Where', isMinor: true, cell: ({ position }) => PLACES[position] },
            { title: 'Changed', cell: ({ updated }) => <Time at={updated} /> },
          ]}
        />
      </Card>
      <Card
        title="Web prompts"
        about="Ask visitors whether they want notifications, before the browser asks."
        actions={prompts.value.value?.length ? newPrompt : undefined}
        isFlush
      >
        <ListTable
          label="Web prompts"
          list={prompts}
          keyOf={({ name }) => name}
          empty={{
            icon: Bell,
            title: 'No prompts yet',
            about: 'A browser asks only once. A prompt asks first, in your words, so that a no is not for ever.',
            action: newPrompt,
          }}
          columns={[
            {
              title: 'Prompt',
              cell: ({ name }) => (
                <a class="cell-link" href={href(`/apps/${appId}/banners/prompts/${name}`)}>
                  {name}
                </a>
              ),
            },
            { title: 'Kind', cell: ({ type }) => <Badge>{PROMPT_NAMES[type]}</Badge>, isTight: true },
            { title: 'Changed', cell: ({ updated }) => <Time at={updated} /> },
          ]}
        />
      </Card>
    </div>
  )
}
