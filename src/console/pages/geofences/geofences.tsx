import { useSignal } from '@preact/signals'
import { MapPin, Plus } from 'lucide'
import { useEffect, useRef } from 'preact/hooks'
import { type Answer } from '../../api/client.ts'
import { usePages } from '../../api/load.ts'
import { Button } from '../../parts/button.tsx'
import { Switch } from '../../parts/field.tsx'
import { Badge, Card, PageHead } from '../../parts/surfaces.tsx'
import { ListTable } from '../../parts/table.tsx'
import { Num } from '../../parts/values.tsx'
import type { PageProps } from '../../state/page.ts'
import { href, navigate } from '../../state/router.ts'
import { may } from '../../state/session.ts'
import { type Bounds, middleOf, ringOf, type Shape, shapeOf } from './bounds.ts'
import { MapFrame, pathOf } from './map/map.tsx'
import { metresText, type Size, spotOf, type View, viewOf } from './map/projection.ts'

type Geofence = Answer<'/admin/v1/apps/{appId}/geofences/{id}'>

const PAGE = 100
/** Smaller areas are shown as a point. */
const TINY_PX = 12

/** "Circle of 250 m" */
function describeShape(bounds: Bounds): string {
  const shape = shapeOf(bounds)
  return shape.kind === 'circle' ? `Circle of ${metresText(shape.radius)}` : `Area of ${shape.points.length} corners`
}

/** Every geofence of the app, on a map and in a list. */
export default function Geofences({ appId }: PageProps) {
  const mayWrite = may('campaign', appId)
  const list = usePages('/admin/v1/apps/{appId}/geofences', { path: { appId }, query: { limit: PAGE } }, 'geofences')
  const found = list.value.value ?? []
  const add = mayWrite && (
    <Button tone="primary" icon={Plus} href={href(`/apps/${appId}/geofences/new`)}>
      New geofence
    </Button>
  )
  return (
    <div class="page wide">
      <PageHead
        title="Geofences"
        about="Places on the map. Reach the people who are inside now, or act when somebody enters or leaves."
        actions={found.length > 0 && add}
      />
      <Overview appId={appId} found={found} isRead={list.value.value !== undefined} />
      <Card isFlush>
        <ListTable
          label="Geofences"
          list={list}
          keyOf={({ id }) => id}
          empty={{
            icon: MapPin,
            title: 'No geofences yet',
            about: 'Draw a place, and pushes can reach the people who are there.',
            action: add,
          }}
          columns={[
            {
              title: 'Name',
              cell: ({ id, name }) => (
                <a class="cell-link" href={href(`/apps/${appId}/geofences/${id}`)}>
                  {name}
                </a>
              ),
            },
            { title: 'Shape', cell: ({ boundsGeoJson }) => describeShape(boundsGeoJson) },
            {
              title: 'Tags',
              cell: ({ tags }) => (
                <span class="row" style={{ gap: '4px' }}>
                  {tags.length === 0 ? <span class="quiet">–</span> : tags.map((tag) => <Badge isPlain>{tag}</Badge>)}
                </span>
              ),
            },
            { title: 'People inside', cell: ({ activeUsers }) => <Num value={activeUsers} />, isNumeric: true },
            {
              title: 'Entries so far',
              cell: ({ activationCount }) => <Num value={activationCount} />,
              isNumeric: true,
            },
            {
              title: 'State',
              cell: ({ isEnabled }) => <Badge tone={isEnabled ? 'good' : 'quiet'}>{isEnabled ? 'On' : 'Off'}</Badge>,
              isTight: true,
            },
          ]}
        />
      </Card>
    </div>
  )
}

/** A name on the map: its middle, its line, half of its width. */
interface Box {
  x: number
  y: number
  half: number
}

/** Least height and width of a geofence for fingers, however small it is on the map. */
const TOUCH_PX = 44
const LETTER_PX = 7
const LINE_PX = 15

/** The first of these lines where a name covers no other one, which it then takes. Without one the name is left out: zooming in shows it. */
function freeLine(taken: Box[], text: string, x: number, lines: readonly number[]): number | undefined {
  const half = (text.length * LETTER_PX) / 2
  const line = lines.find((y) =>
    taken.every((one) => Math.abs(one.y - y) >= LINE_PX || Math.abs(one.x - x) >= one.half + half),
  )
  if (line !== undefined) taken.push({ x, y: line, half })
  return line
}

/** A geofence as it is drawn: its middle in pixels, and the line of its name where there is room. */
interface Placed {
  geofence: Geofence
  shape: Shape
  x: number
  y: number
  isTiny: boolean
  text: string
  line: number | undefined
}

type Drawn = Pick<Placed, 'geofence' | 'shape'>

function placed(all: readonly Drawn[], view: View, size: Size): Placed[] {
  const taken: Box[] = []
  return all.map(({ geofence, shape }) => {
    const { x, y } = spotOf(middleOf(shape), view, size)
    const spots = ringOf(shape).map((point) => spotOf(point, view, size))
    const isTiny = spots.every((spot) => Math.hypot(spot.x - x, spot.y - y) < TINY_PX)
    const { name } = geofence
    const text = name.length > 28 ? `${name.slice(0, 27)}…` : name
    const line = freeLine(taken, text, x, isTiny ? [y - 14, y + 22] : [y + 4])
    return { geofence, shape, x, y, isTiny, text, line }
  })
}

interface PlaceProps {
  appId: number
  place: Placed
  view: View
  size: Size
}

/** A geofence on the map: a link to its page. */
function Place({ appId, place: { geofence, shape, x, y, isTiny, text, line }, view, size }: PlaceProps) {
  const { id, name, isEnabled } = geofence
  return (
    <a
      href={href(`/apps/${appId}/geofences/${id}`)}
      aria-label={name}
      onClick={(event) => {
        if (event.ctrlKey || event.metaKey || event.shiftKey) return
        event.preventDefault()
        navigate(`/apps/${appId}/geofences/${id}`)
      }}
    >
      {isTiny ? (
        <>
          <circle class="map-touch" cx={x} cy={y} r={TOUCH_PX / 2} />
          <circle class="map-area map-pin" cx={x} cy={y} r={7} />
        </>
      ) : (
        <path class={`map-area ${isEnabled ? '' : 'off'}`} d={pathOf(ringOf(shape), view, size)} />
      )}
      {line === undefined ? (
        <title>{name}</title>
      ) : (
        <text class="map-name" x={x} y={line}>
          {text}
        </text>
      )}
    </a>
  )
}

/** The map with all geofences. It shows all of them at first. */
function Overview({ appId, found, isRead }: { appId: number; found: readonly Geofence[]; isRead: boolean }) {
  const view = useSignal<View>(viewOf([], { width: 1000, height: 500 }))
  const size = useSignal<Size>({ width: 0, height: 0 })
  const showsDensity = useSignal(false)
  const isFitted = useRef(false)
  const all = found.map((geofence) => ({ geofence, shape: shapeOf(geofence.boundsGeoJson as unknown as Bounds) }))
  const fit = (at: Size) =>
    viewOf(
      all.flatMap(({ shape }) => ringOf(shape)),
      at,
    )
  useEffect(() => {
    if (isFitted.current || !isRead || size.value.width === 0) return
    isFitted.current = true
    view.value = fit(size.value)
  }, [isRead, size.value])
  return (
    <Card isFlush>
      <div class="map-bar">
        <span class="quiet small-text">
          {found.length === 0 ? 'Nothing is drawn yet.' : 'Choose a place to change it.'}
        </span>
        <Switch
          label="Show where people are"
          value={showsDensity.value}
          onChange={(value) => (showsDensity.value = value)}
        />
      </div>
      <MapFrame
        appId={appId}
        label="Map of the geofences. Arrow keys move it, plus and minus zoom, 0 shows everything."
        view={view}
        fit={fit}
        onSize={(now) => (size.value = now)}
        showsDensity={showsDensity.value}
      >
        {(at) =>
          placed(all, view.value, at).map((place) => (
            <Place key={place.geofence.id} appId={appId} place={place} view={view.value} size={at} />
          ))
        }
      </MapFrame>
      {showsDensity.value && (
        <p class="map-hint">
          Squares show the last known positions of at least five installs, never of one person. Darker is more.
        </p>
      )}
    </Card>
  )
}
