import { type Signal, useSignal } from '@preact/signals'
import { Download, MapPin, Plus, Upload } from 'lucide'
import type { ComponentChildren } from 'preact'
import { Button } from '../../parts/button.tsx'
import { SearchField } from '../../parts/field.tsx'
import { formatNumber } from '../../parts/numbers.ts'
import { saveFile } from '../../parts/save-file.ts'
import { Badge, Card, Empty, Failed, PageHead, Skeleton } from '../../parts/surfaces.tsx'
import { type Column, Table } from '../../parts/table.tsx'
import { Num } from '../../parts/values.tsx'
import type { PageProps } from '../../state/page.ts'
import { href } from '../../state/router.ts'
import { may } from '../../state/session.ts'
import { exportText } from './export.ts'
import { type Fence, useFences } from './fences.ts'
import { folded } from './map/folded.ts'
import { Overview } from './overview.tsx'
import { describeShape } from './words.ts'

/** Every geofence of the app, on a map and in a list. */
export default function Geofences({ appId }: PageProps) {
  const mayWrite = may('campaign', appId)
  const { fences, isWhole, error, reload } = useFences(appId)
  const chosen = useSignal<Fence | undefined>(undefined)
  const found = fences.value ?? []
  const add = mayWrite && (
    <Button tone="primary" icon={Plus} href={href(`/apps/${appId}/geofences/new`)}>
      New geofence
    </Button>
  )
  const bring = mayWrite && (
    <Button icon={Upload} size={found.length > 0 ? 'small' : undefined} href={href(`/apps/${appId}/geofences/import`)}>
      Import
    </Button>
  )
  return (
    <div class="page wide">
      <PageHead
        title="Geofences"
        about="Places on the map. Reach the people who are inside now, or act when somebody enters or leaves."
        actions={found.length > 0 && add}
      />
      <Overview appId={appId} fences={found} isWhole={isWhole.value} chosen={chosen} />
      {error.value !== undefined && <Failed error={error.value} retry={reload} />}
      {fences.value === undefined && error.value === undefined && <Skeleton lines={5} />}
      {fences.value !== undefined && (
        <Card isFlush>
          {found.length === 0 ? (
            <Empty
              icon={MapPin}
              title="No geofences yet"
              action={
                <div class="row">
                  {add}
                  {bring}
                </div>
              }
            >
              Draw a place, or import a GeoJSON file, and pushes can reach the people who are there.
            </Empty>
          ) : (
            <List appId={appId} fences={found} isWhole={isWhole.value} chosen={chosen} bring={bring} />
          )}
        </Card>
      )}
    </div>
  )
}

interface ListProps {
  appId: number
  fences: readonly Fence[]
  isWhole: boolean
  chosen: Signal<Fence | undefined>
  /** The way to the import. */
  bring: ComponentChildren
}

const GEOJSON = 'application/geo+json'
/** From here on a list is searched rather than read. */
const MANY = 8
/** From here on rows stay rows on a phone: as cards they would be a long way down. */
const MANY_CARDS = 12

function List({ appId, fences, isWhole, chosen, bring }: ListProps) {
  const text = useSignal('')
  const wanted = folded(text.value)
  const shown =
    wanted === ''
      ? fences
      : fences.filter(({ geofence: { name, tags } }) => folded([name, ...tags].join(' ')).includes(wanted))
  const counted = `${formatNumber(fences.length)} ${fences.length === 1 ? 'geofence' : 'geofences'}`
  return (
    <>
      <div class="map-bar">
        {fences.length > MANY && (
          <SearchField label="Search names and tags" value={text.value} onChange={(value) => (text.value = value)} />
        )}
        <span class="quiet small-text" role="status">
          {wanted === '' ? counted : `${formatNumber(shown.length)} of ${counted}`}
          {!isWhole && ' so far'}
        </span>
        <span class="row map-files">
          {bring}
          <Button
            size="small"
            icon={Download}
            isOff={!isWhole}
            onClick={() => saveFile('geofences.geojson', exportText(fences.map(({ geofence }) => geofence)), GEOJSON)}
          >
            Export
          </Button>
        </span>
      </div>
      <Table
        label="Geofences"
        small={fences.length > MANY_CARDS ? 'scroll' : 'cards'}
        rows={shown}
        keyOf={({ geofence: { id } }) => id}
        columns={columnsOf(appId, chosen)}
        empty={
          <Empty icon={MapPin} title="None is called so">
            Names and tags are searched.
          </Empty>
        }
      />
    </>
  )
}

const columnsOf = (appId: number, chosen: Signal<Fence | undefined>): Column<Fence>[] => [
  {
    title: 'Name',
    sortBy: ({ geofence: { name } }) => name,
    cell: ({ geofence: { id, name } }) => (
      <a
        class="cell-link"
        href={href(`/apps/${appId}/geofences/${id}`)}
        aria-current={chosen.value?.geofence.id === id ? 'true' : undefined}
      >
        {name}
      </a>
    ),
  },
  { title: 'Shape', isMinor: true, cell: ({ shape }) => describeShape(shape) },
  {
    title: 'Tags',
    cell: ({ geofence: { tags } }) =>
      tags[0] && (
        <span class="row" style={{ gap: '4px' }}>
          {tags.map((tag) => (
            <Badge isPlain>{tag}</Badge>
          ))}
        </span>
      ),
  },
  {
    title: 'People inside',
    sortBy: ({ geofence: { activeUsers } }) => activeUsers,
    cell: ({ geofence: { activeUsers } }) => <Num value={activeUsers} />,
    isNumeric: true,
  },
  {
    title: 'Entries so far',
    sortBy: ({ geofence: { activationCount } }) => activationCount,
    cell: ({ geofence: { activationCount } }) => <Num value={activationCount} />,
    isNumeric: true,
  },
  {
    title: 'State',
    cell: ({ geofence: { isEnabled } }) => (
      <Badge tone={isEnabled ? 'good' : 'quiet'}>{isEnabled ? 'On' : 'Off'}</Badge>
    ),
    isTight: true,
  },
]
