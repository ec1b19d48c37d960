import type { ComponentChildren } from 'preact'
import { type Answer, api } from '../../api/client.ts'
import { useLoad } from '../../api/load.ts'
import { Button } from '../../parts/button.tsx'
import { ownPicture } from '../../parts/picture-address.ts'
import { Reading } from '../../parts/reading.tsx'
import { Card, Note, Phone } from '../../parts/surfaces.tsx'
import { href } from '../../state/router.ts'
import { may } from '../../state/session.ts'
import { type Link, shortUrl } from './words.ts'

type Preview = Answer<'/admin/v1/apps/{appId}/deep-links/{id}/preview'>

const DEVICES: Record<Preview['visits'][number]['device'], string> = {
  ios: 'iPhone',
  android: 'Android phone',
  desktop: 'Computer',
}

/** Words before the address to which a device is led. */
const LEADS = { page: 'Jump page, then', code: 'QR code, or', redirect: 'Straight to' } as const

interface PreviewProps {
  appId: number
  link: Link
  /** Cards below those of the two columns. */
  left: ComponentChildren
  right: ComponentChildren
}

/**
 * Visitors' view of a link: its jump page in a frame, its card in chats, and the address to which each device is led. The page of a link has
 * its other cards in the same two columns, so that none of them has a gap.
 */
export function LinkPreview({ appId, link, left, right }: PreviewProps) {
  const id = link.id
  const isMasked = !may('operate', appId) && !may('campaign', appId)
  const preview = useLoad(
    (signal) => api.get('/admin/v1/apps/{appId}/deep-links/{id}/preview', { path: { appId, id }, signal }),
    [appId, id, link.updatedAt],
  )
  const now = preview.value.value
  if (now === undefined || preview.error.value !== undefined) {
    return (
      <>
        <Reading of={preview} lines={8} />
        <div class="grid halves ragged">
          {left}
          {right}
        </div>
      </>
    )
  }
  const withPage = now.visits.find(({ leadsTo }) => leadsTo === 'page')
  return (
    <div class="grid halves ragged">
      <div class="stack loose">
        <Card title="Jump page" about="What a phone without the app sees first.">
          {withPage && isMasked ? (
            <Note title="Your role does not see the page.">
              It shows the data of the link, which may be about people.
            </Note>
          ) : withPage ? (
            <Phone label={`The jump page on an ${DEVICES[withPage.device]}`} look="light">
              <iframe
                class="link-page"
                title="Jump page"
                inert
                sandbox="allow-scripts"
                src={`/admin/v1/apps/${appId}/deep-links/${id}/page?device=${withPage.device}`}
              />
            </Phone>
          ) : (
            <Note
              title="There is no jump page yet."
              actions={
                may('campaign', appId) && (
                  <Button size="small" href={href(`/apps/${appId}/links/settings`)}>
                    Name the stores
                  </Button>
                )
              }
            >
              Phones are sent straight to the page for phones. iPhones get a jump page once the link settings have the
              link to the App Store.
            </Note>
          )}
        </Card>
        {left}
      </div>
      <div class="stack loose">
        <Card title="In chats" about="From the Open Graph data of the page.">
          <ChatCard card={now.card} />
        </Card>
        <Card title="Without the app">
          <ul class="link-ways">
            {now.visits.map(({ device, leadsTo, url }) => (
              <li key={device}>
                <strong>{DEVICES[device]}</strong>
                <span class="quiet">{LEADS[leadsTo]}</span>
                <a href={url} target="_blank" rel="noreferrer">
                  {shortUrl(url)}
                </a>
              </li>
            ))}
          </ul>
        </Card>
        {right}
      </div>
    </div>
  )
}

/** The card that messengers show for a link in a chat. */
function ChatCard({ card }: { card: Preview['card'] }) {
  const { title, description, siteName, url, image } = card
  const own = image?.startsWith('data:') ? image : ownPicture(image ?? '')
  return (
    <div class="chat" role="group" aria-label="The link in a chat">
      <div class="chat-bubble">
        <div class="chat-card">
          {own ? (
            <img class="chat-picture" src={own} alt="" />
          ) : (
            <div class="chat-picture" aria-hidden="true">
              {siteName.slice(0, 1).toUpperCase()}
            </div>
          )}
          <div class="chat-text">
            <strong>{title}</strong>
            {description !== null && <span>{description}</span>}
            <span class="quiet small-text">{new URL(url).host}</span>
          </div>
        </div>
        <span class="chat-url">{url}</span>
      </div>
    </div>
  )
}
