import { BellRing } from 'lucide'
import { useGet, usePages } from '../../api/load.ts'
import { formatShare } from '../../parts/numbers.ts'
import { platformName } from '../../parts/platforms.ts'
import { Reading } from '../../parts/reading.tsx'
import { Card } from '../../parts/surfaces.tsx'
import { ListTable, Table } from '../../parts/table.tsx'
import { Num, Time } from '../../parts/values.tsx'
import { href } from '../../state/router.ts'
import { nameOfLanguage } from '../push/personal/languages.ts'
import { counted } from './words.ts'

/** The list of those who opened a notification, with their versions and languages. */
export function Openers({ appId, id }: { appId: number; id: number }) {
  const list = usePages(
    '/admin/v1/apps/{appId}/deliveries/{id}/openers',
    { path: { appId, id }, query: { limit: 50 } },
    'items',
  )
  return (
    <div class="stack loose">
      <Groups appId={appId} id={id} />
      <Card title="Who opened it" about="In the order in which their devices came to the app." isFlush>
        <ListTable
          label="Who opened it"
          list={list}
          keyOf={({ userId, installId, openedAt }) => `${userId} ${installId} ${openedAt}`}
          empty={{ icon: BellRing, title: 'Nobody has opened it yet', about: 'The app reports a tap on the push.' }}
          columns={[
            {
              title: 'User',
              cell: ({ userId }) => (
                <a class="cell-link user-name" href={href(`/apps/${appId}/users?q=${encodeURIComponent(userId)}`)}>
                  {userId}
                </a>
              ),
            },
            { title: 'Device', cell: ({ platform }) => platform && platformName(platform) },
            { title: 'App version', cell: ({ appVersion }) => appVersion },
            { title: 'Opened', cell: ({ openedAt }) => <Time at={openedAt} />, isTight: true },
          ]}
        />
      </Card>
    </div>
  )
}

function Groups({ appId, id }: { appId: number; id: number }) {
  const groups = useGet('/admin/v1/apps/{appId}/deliveries/{id}/opener-groups', { path: { appId, id } })
  return (
    <Reading of={groups} lines={4}>
      {({ opened, isWhole, versions, languages }) =>
        opened === 0 ? null : (
          <div class="grid halves">
            {(
              [
                ['By app version', versions, (name: string) => name],
                ['By language of the device', languages, nameOfLanguage],
              ] as const
            ).map(([title, rows, nameOf]) => (
              <Card
                key={title}
                title={title}
                about={isWhole ? undefined : `Of the first ${counted(opened, 'device')} that opened it.`}
                isFlush
              >
                <Table
                  label={title}
                  small="scroll"
                  rows={rows}
                  keyOf={({ name }) => name ?? ''}
                  columns={[
                    { title: 'Name', cell: ({ name }) => (name === null ? 'Not known' : nameOf(name)) },
                    { title: 'Opened', cell: (one) => <Num value={one.opened} />, isNumeric: true },
                    { title: 'Share', cell: (one) => formatShare(one.opened, opened), isNumeric: true },
                  ]}
                />
              </Card>
            ))}
          </div>
        )
      }
    </Reading>
  )
}
