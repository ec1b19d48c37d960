import { CircleHelp } from 'lucide'
import { api } from '../../api/client.ts'
import { useGet, useLoad } from '../../api/load.ts'
import { AsCommand } from '../../parts/code.tsx'
import { Combobox } from '../../parts/combobox.tsx'
import { Reading } from '../../parts/reading.tsx'
import { command } from '../../parts/shell-words.ts'
import { Badge, Card, Empty, Failed, Note, Skeleton } from '../../parts/surfaces.tsx'
import { Time } from '../../parts/values.tsx'
import { query, setQuery } from '../../state/router.ts'
import type { UserProps } from './types.ts'

interface Offer {
  id: number
  title: string
  at: string
}

const RECENT = 8

/** Explains why this person got a notification, or did not. */
export function Why({ appId, profile }: UserProps) {
  const recent = useLoad((signal) => readRecent(appId, RECENT, signal), [appId])
  const chosen = query.value.get('notification')
  const choose = (id: number) => setQuery({ notification: String(id) })
  const find = async (text: string, signal: AbortSignal): Promise<Offer[]> => {
    const small = text.trim().toLowerCase()
    const all = await readRecent(appId, 100, signal)
    return all.filter(({ id, title }) => String(id) === small || title.toLowerCase().includes(small)).slice(0, RECENT)
  }
  const offers = recent.value.value
  return (
    <div class="user-columns even">
      <Card title="Which notification?" about="Choose one: you get the reason for this person in plain words.">
        <div class="stack">
          <Combobox
            label="Search by title or number"
            find={find}
            keyOf={({ id }) => id}
            show={({ id, title }) => `${title} (${id})`}
            onChoose={({ id }) => choose(id)}
          />
          {recent.error.value !== undefined ? (
            <Failed error={recent.error.value} retry={recent.reload} />
          ) : offers === undefined ? (
            <Skeleton lines={4} />
          ) : offers.length === 0 ? (
            <p class="quiet">Nothing was sent yet.</p>
          ) : (
            <ul class="plain-list why-list" aria-label="Recently sent">
              {offers.map(({ id, title, at }) => (
                <li key={id} class="why-offer" data-chosen={String(id) === chosen}>
                  <button type="button" aria-pressed={String(id) === chosen} onClick={() => choose(id)}>
                    {title}
                  </button>
                  <span class="quiet small-text">
                    <Time at={at} />
                  </span>
                </li>
              ))}
            </ul>
          )}
        </div>
      </Card>
      {chosen === null ? (
        <Card>
          <Empty icon={CircleHelp} title="Why did this person not get it?">
            Choose a notification. Every device of this person is explained.
          </Empty>
        </Card>
      ) : (
        <Reason appId={appId} profileId={profile.id} id={chosen} />
      )}
    </div>
  )
}

async function readRecent(appId: number, limit: number, signal: AbortSignal): Promise<Offer[]> {
  const { notifications } = await api.get('/admin/v1/apps/{appId}/notifications', {
    path: { appId },
    query: { limit },
    signal,
  })
  return notifications.map((one) => ({
    id: one.id,
    title: one.title || one.message || `Notification ${one.id}`,
    at: one.createdAt,
  }))
}

function Reason({ appId, profileId, id }: { appId: number; profileId: number; id: string }) {
  const loaded = useGet('/admin/v1/apps/{appId}/profiles/{profileId}/notifications/{id}', {
    path: { appId, profileId, id },
  })
  const verdict = loaded.value.value
  return (
    <Card title={verdict === undefined ? 'The reason' : verdict.wasReached ? 'They got it' : 'They did not get it'}>
      <Reading of={loaded}>
        {(verdict) => (
          <div class="stack" role="status">
            <Note tone={verdict.wasReached ? 'good' : 'warn'} title={verdict.says}>
              {verdict.remedy !== null && <span>{verdict.remedy}</span>}
            </Note>
            <ul class="plain-list rows">
              {verdict.installs.map((install, i) => (
                <li key={i} class="stack tight">
                  <div class="row spread">
                    <strong class="user-name">
                      {install.deviceName ?? install.deviceModel ?? install.os ?? install.installId}
                    </strong>
                    <Badge tone={install.wasReached ? 'good' : 'warn'}>{install.state.replaceAll('_', ' ')}</Badge>
                  </div>
                  {verdict.installs.length > 1 && (
                    <p>
                      {install.says} {install.remedy !== null && <span class="quiet">{install.remedy}</span>}
                    </p>
                  )}
                  {install.next !== null && (
                    <p class="small-text">
                      It is tried again <Time at={install.next} isDue />.
                    </p>
                  )}
                  {install.answers.length > 0 && (
                    <ul class="plain-list small-text">
                      {install.answers.map(({ kind, reason, at }, n) => (
                        <li key={n}>
                          <Time at={at} isExact />: <span class="mono">{reason}</span>{' '}
                          <span class="quiet">({kind.replaceAll('_', ' ')})</span>
                        </li>
                      ))}
                    </ul>
                  )}
                  <AsCommand
                    command={command`notifications trace ${id} --app ${appId} --install ${install.installId}`}
                    call={{ method: 'GET', path: `/admin/v1/apps/${appId}/profiles/${profileId}/notifications/${id}` }}
                  />
                </li>
              ))}
            </ul>
          </div>
        )}
      </Reading>
    </Card>
  )
}
