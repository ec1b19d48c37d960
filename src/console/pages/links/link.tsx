import { useSignal } from '@preact/signals'
import { Pencil } from 'lucide'
import { api } from '../../api/client.ts'
import { useGet } from '../../api/load.ts'
import { Button } from '../../parts/button.tsx'
import { JsonView } from '../../parts/code.tsx'
import { formatNumber, formatShare } from '../../parts/numbers.ts'
import { ConfirmDialog, Menu, toast } from '../../parts/overlays.tsx'
import { Reading } from '../../parts/reading.tsx'
import { Badge, Card, Note, PageHead } from '../../parts/surfaces.tsx'
import { Copyable, KeyValues, Num, Stat, Time } from '../../parts/values.tsx'
import type { PageProps } from '../../state/page.ts'
import { href, navigate } from '../../state/router.ts'
import { may } from '../../state/session.ts'
import { LinkFigures } from './figures.tsx'
import { LinkPreview } from './preview.tsx'
import { QrCard } from './qr.tsx'
import { type Link, nameOf, STATES } from './words.ts'

/** A link: its numbers, a preview for visitors, and its settings. */
export default function LinkPage({ appId, params }: PageProps) {
  const id = params['linkId']!
  const link = useGet('/admin/v1/apps/{appId}/deep-links/{id}', { path: { appId, id } })
  const settings = useGet('/admin/v1/apps/{appId}/link-settings', { path: { appId } })
  const crumbs = [{ label: 'Links', href: href(`/apps/${appId}/links`) }]
  const now = link.value.value
  if (now === undefined) {
    return (
      <div class="page">
        <PageHead title="Link" crumbs={crumbs} />
        <Reading of={link} lines={8} />
      </div>
    )
  }
  return (
    <div class="page">
      <PageHead
        title={nameOf(now)}
        crumbs={crumbs}
        about={
          <span class="row">
            <Badge tone={STATES[now.state].tone}>{STATES[now.state].label}</Badge>
            <Copyable text={now.url} />
          </span>
        }
        actions={may('campaign', appId) && <Actions appId={appId} link={now} onChange={link.set} />}
      />
      <State link={now} />
      <div class="grid stats">
        <Stat label="Clicks" value={<Num value={now.clicks} />} more="People who followed it" />
        <Stat
          label="App opens"
          value={<Num value={now.lookups} />}
          more={now.lookupLimit === null ? 'Opens in the app' : `Of ${formatNumber(now.lookupLimit)} at most`}
        />
        <Stat
          label="App opens for each click"
          value={formatShare(now.lookups, now.clicks)}
          more="Some open it without a browser"
        />
      </div>
      <LinkFigures appId={appId} linkId={now.id} />
      <LinkPreview
        appId={appId}
        link={now}
        left={<QrCard appId={appId} link={now} hasIcon={Boolean(settings.value.value?.icon)} />}
        right={
          <Card title="Details">
            <div class="stack">
              <KeyValues
                items={[
                  ['Number', now.id],
                  ['Page for phones', now.mobileWebFallbackUrl],
                  ['Page for computers', now.desktopWebFallbackUrl],
                  ['Expires', now.expiresAt === null ? 'Never' : <Time key="expires" at={now.expiresAt} isExact />],
                  ['Created', <Time key="created" at={now.createdAt} isExact />],
                  ['Changed', <Time key="changed" at={now.updatedAt} isExact />],
                ]}
              />
              <div class="stack tight">
                <h3>Data for the app</h3>
                <JsonView value={now.linkData} />
              </div>
            </div>
          </Card>
        }
      />
    </div>
  )
}

function State({ link }: { link: Link }) {
  if (link.state === 'active') return null
  const titles = {
    disabled: 'This link is off: visitors and apps are told that it leads nowhere.',
    expired: 'This link has expired: the app gets no data from it. In a browser it still works.',
    'over limit': 'This link is used up: the app gets no more data from it. In a browser it still works.',
  }
  return <Note tone={link.state === 'disabled' ? 'info' : 'warn'} title={titles[link.state]} />
}

interface ActionsProps {
  appId: number
  link: Link
  onChange(link: Link): void
}

type Asked = 'off' | 'delete' | undefined

function Actions({ appId, link, onChange }: ActionsProps) {
  const asked = useSignal<Asked>(undefined)
  const path = { appId, id: link.id }
  const close = () => (asked.value = undefined)
  const change = async (body: { isEnabled?: boolean; expiresAt?: string }, said: string) => {
    onChange(await api.patch('/admin/v1/apps/{appId}/deep-links/{id}', { path, body }))
    toast(said)
  }
  const isOff = link.state === 'disabled'
  return (
    <>
      <Button icon={Pencil} href={href(`/apps/${appId}/links/${link.id}/edit`)}>
        Edit
      </Button>
      <Menu
        label="More"
        items={[
          isOff
            ? { label: 'Switch on', run: () => void change({ isEnabled: true }, 'The link is on.') }
            : { label: 'Switch off…', run: () => (asked.value = 'off') },
          ...(link.state === 'active'
            ? [
                {
                  label: 'Let it expire now',
                  run: () => void change({ expiresAt: new Date().toISOString() }, 'The link has expired.'),
                },
              ]
            : []),
          { label: 'Delete…', tone: 'danger', isApart: true, run: () => (asked.value = 'delete') },
        ]}
      />
      {asked.value === 'off' && (
        <ConfirmDialog
          title="Switch this link off?"
          action="Switch the link off"
          run={() => change({ isEnabled: false }, 'The link is off.')}
          onClose={close}
        >
          <p>
            Visitors and apps are told that it leads nowhere, and its banners are not shown, until you switch it on
            again.
          </p>
        </ConfirmDialog>
      )}
      {asked.value === 'delete' && (
        <ConfirmDialog
          title="Delete this link?"
          action="Delete the link"
          {...(link.clicks > 0 && { typed: link.slug })}
          run={async () => {
            await api.delete('/admin/v1/apps/{appId}/deep-links/{id}', { path })
            toast('The link is deleted.')
            navigate(`/apps/${appId}/links`)
          }}
          onClose={close}
        >
          <p>
            {link.clicks > 0
              ? `${formatNumber(link.clicks)} ${link.clicks === 1 ? 'person has' : 'people have'} followed it. `
              : ''}
            It leads nowhere then, wherever it is printed, and anybody in your team can use the ending again.
          </p>
        </ConfirmDialog>
      )}
    </>
  )
}
