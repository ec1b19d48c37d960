import { MapPinCheck } from 'lucide'
import type { Answer } from '../../api/client.ts'
import { usePages } from '../../api/load.ts'
import { Filters } from '../../forms/filters.tsx'
import * as row from '../../forms/rows.ts'
import { AsCommand } from '../../parts/code.tsx'
import { command } from '../../parts/shell-words.ts'
import { Badge, Card, PageHead } from '../../parts/surfaces.tsx'
import { ListTable } from '../../parts/table.tsx'
import { More, Num, Time } from '../../parts/values.tsx'
import type { PageProps } from '../../state/page.ts'
import { href, query } from '../../state/router.ts'
import { may } from '../../state/session.ts'

type Checkin = Answer<'/admin/v1/apps/{appId}/checkins'>['items'][number]

const SHOWN = [
  row.select('state', 'Show', { options: row.choices({ '': 'All', open: 'Still there', closed: 'Left' }) }),
]

/** Check-ins: groups of people at a place, those that are there and those that have left. */
export default function Checkins({ appId }: PageProps) {
  const state = (query.value.get('state') ?? '') as '' | 'open' | 'closed'
  const userId = query.value.get('user') ?? ''
  // A name that is masked leads nowhere.
  const isMasked = !may('operate', appId) && !may('campaign', appId)
  const list = usePages(
    '/admin/v1/apps/{appId}/checkins',
    { path: { appId }, query: { ...(state && { state }), ...(userId && { userId }) } },
    'items',
  )
  return (
    <div class="page">
      <PageHead
        title="Check-ins"
        about="Groups of people who told the app that they are at a place. The latest come first."
      />
      <div class="row">
        <Filters rows={SHOWN} />
        {userId !== '' && (
          <Badge isPlain>
            of {userId} <a href={href(`/apps/${appId}/checkins`)}>show all</a>
          </Badge>
        )}
      </div>
      <Card isFlush>
        <ListTable
          label="Check-ins"
          list={list}
          keyOf={({ id }) => id}
          empty={{
            icon: MapPinCheck,
            title: state === 'open' ? 'Nobody is anywhere' : 'No check-ins',
            about: 'The app makes one when people arrive at a place and ends it when they leave.',
          }}
          columns={[
            { title: 'Place', cell: ({ location }) => <strong class="user-name">{location}</strong> },
            {
              title: 'User',
              cell: ({ userIdentifier }) =>
                isMasked ? (
                  userIdentifier
                ) : (
                  <a
                    class="user-name"
                    href={href(`/apps/${appId}/users?${new URLSearchParams({ q: userIdentifier })}`)}
                  >
                    {userIdentifier}
                  </a>
                ),
            },
            { title: 'People', cell: ({ partySize }) => <Num value={partySize} />, isNumeric: true, isTight: true },
            { title: 'Arrived', cell: ({ checkedInAt }) => <Time at={checkedInAt} />, isTight: true },
            {
              title: 'Left',
              cell: ({ checkedOutAt }) =>
                checkedOutAt === null ? <Badge tone="good">still there</Badge> : <Time at={checkedOutAt} />,
              isTight: true,
            },
            { title: 'Contacts', cell: ({ contacts }) => contacts[0] && <Contacts contacts={contacts} /> },
          ]}
        />
      </Card>
      <AsCommand
        command={command`checkins list --app ${appId}`}
        call={{ method: 'GET', path: `/admin/v1/apps/${appId}/checkins${state === '' ? '' : `?state=${state}`}` }}
      />
    </div>
  )
}

function Contacts({ contacts }: Pick<Checkin, 'contacts'>) {
  const nameOf = ({ firstName, lastName }: Checkin['contacts'][number]) =>
    [firstName, lastName].filter(Boolean).join(' ')
  return (
    <More
      label={contacts.length === 1 ? nameOf(contacts[0]!) : `${nameOf(contacts[0]!)} and ${contacts.length - 1} more`}
    >
      <ul class="plain-list">
        {contacts.map((contact) => (
          <li key={contact.id} class="user-name small-text">
            {nameOf(contact)}
            {[contact.emailAddress, contact.smsNumber].filter(Boolean).map((reach) => (
              <span key={reach} class="quiet">
                , {reach}
              </span>
            ))}
            {contact.checkedOutAt !== null && <span class="quiet"> (left)</span>}
          </li>
        ))}
      </ul>
    </More>
  )
}
