import { type Signal, useSignal } from '@preact/signals'
import { X } from 'lucide'
import { useEffect, useMemo, useRef } from 'preact/hooks'
import { Button, IconButton } from '../../parts/button.tsx'
import { Switch } from '../../parts/field.tsx'
import { formatNumber } from '../../parts/numbers.ts'
import { Badge, Card } from '../../parts/surfaces.tsx'
import { href, navigate } from '../../state/router.ts'
import { cornersOf, type Fence } from './fences.ts'
import { GoTo } from './go-to/go-to.tsx'
import { type Cluster, clustered, type Drawn } from './map/clusters.ts'
import type { Named } from './map/labels.ts'
import { MapFrame, pathOf } from './map/map.tsx'
import { type LngLat, type Size, type View, viewOf } from './map/projection.ts'
import { describeShape } from './words.ts'

/** Least height and width of a geofence for fingers, however small it is on the map. */
const TOUCH_PX = 44
const LETTER_PX = 7
const LINE_PX = 15
const LONGEST_NAME = 28
/** Half of the width of a cluster, whose number no name may cover. */
const CLUSTER_PX = 20

/** The first of these lines where a name covers no other one, which it then takes. Without one the name is left out: zooming in shows it. */
function freeLine(taken: Named[], text: string, x: number, lines: readonly number[]): number | undefined {
  const half = (text.length * LETTER_PX) / 2
  const line = lines.find((y) =>
    taken.every((one) => Math.abs(one.y - y) >= LINE_PX || Math.abs(one.x - x) >= one.half + half),
  )
  if (line !== undefined) taken.push({ x, y: line, half })
  return line
}

interface MarkProps {
  mark: Drawn<Fence>
  view: View
  size: Size
  /** The line of the name; undefined where there is no room. */
  line: number | undefined
  appId: number
  isChosen: boolean
  onChoose(fence: Fence): void
}

const shortened = (name: string) => (name.length > LONGEST_NAME ? `${name.slice(0, LONGEST_NAME - 1)}…` : name)

/** A geofence on the map: a press chooses it, and once it is chosen opens its page. */
function Mark({ mark: { kind, of, x, y }, view, size, line, appId, isChosen, onChoose }: MarkProps) {
  const { id, name, isEnabled } = of.geofence
  const turn = 360 * Math.round((view.lng - of.middle[0]) / 360)
  const look = `${isEnabled ? '' : 'off'} ${isChosen ? 'chosen' : ''}`
  return (
    <a
      href={href(`/apps/${appId}/geofences/${id}`)}
      aria-label={name}
      aria-current={isChosen ? 'true' : undefined}
      onClick={(event) => {
        if (event.ctrlKey || event.metaKey || event.shiftKey) return
        event.preventDefault()
        if (isChosen) navigate(`/apps/${appId}/geofences/${id}`)
        else onChoose(of)
      }}
    >
      {kind === 'pin' ? (
        <>
          <circle class="map-touch" cx={x} cy={y} r={TOUCH_PX / 2} />
          <circle class={`map-area map-pin ${look}`} cx={x} cy={y} r={7} />
        </>
      ) : (
        <path
          class={`map-area ${look}`}
          d={pathOf(
            of.ring.map(([lng, lat]): LngLat => [lng + turn, lat]),
            view,
            size,
          )}
        />
      )}
      {line === undefined ? (
        <title>{name}</title>
      ) : (
        <text class="map-name" x={x} y={line}>
          {shortened(name)}
        </text>
      )}
    </a>
  )
}

/** Geofences that lie too close together: a press shows them larger. */
function Gathered({ cluster: { of, x, y }, onOpen }: { cluster: Cluster<Fence>; onOpen(): void }) {
  const count = formatNumber(of.length, true)
  return (
    <g
      class="map-cluster"
      role="button"
      tabindex={0}
      aria-label={`${of.length} geofences: zoom in`}
      transform={`translate(${x.toFixed(1)} ${y.toFixed(1)})`}
      onClick={onOpen}
      onKeyDown={(event) => {
        if (event.key !== 'Enter' && event.key !== ' ') return
        event.preventDefault()
        event.stopPropagation()
        // What was pressed is gone then, and the keys of the map go on.
        event.currentTarget.closest<HTMLElement>('.map-frame')?.focus({ preventScroll: true })
        onOpen()
      }}
    >
      <circle class="map-touch" r={TOUCH_PX / 2} />
      <circle class="map-dot" r={11 + 2 * count.length} />
      <text y={4}>{count}</text>
    </g>
  )
}

/** Everything that is in sight, with the names for which there is room. */
function placed(fences: readonly Fence[], view: View, size: Size, chosen: Fence | undefined) {
  const { marks, left } = clustered(fences, view, size, chosen)
  const names: Named[] = []
  const withNames = marks.map((mark) => {
    if (mark.kind === 'cluster') {
      names.push({ x: mark.x, y: mark.y, half: CLUSTER_PX })
      return { mark, line: undefined }
    }
    const lines = mark.kind === 'pin' ? [mark.y - 14, mark.y + 22] : [mark.y + 4]
    return { mark, line: freeLine(names, shortened(mark.of.geofence.name), mark.x, lines) }
  })
  return { marks: withNames, names, left }
}

interface ShownProps {
  appId: number
  marks: ReturnType<typeof placed>['marks']
  view: Signal<View>
  size: Size
  chosen: Signal<Fence | undefined>
}

function Shown({ appId, marks, view, size, chosen }: ShownProps) {
  return (
    <>
      {marks.map(({ mark, line }) => {
        if (mark.kind === 'cluster') {
          const open = () => {
            const next = viewOf(cornersOf(mark.of), size)
            view.value = { ...next, zoom: Math.max(view.peek().zoom + 1, Math.min(next.zoom, 17)) }
          }
          return <Gathered key={`cluster ${mark.of[0]!.geofence.id}`} cluster={mark} onOpen={open} />
        }
        return (
          <Mark
            key={mark.of.geofence.id}
            appId={appId}
            mark={mark}
            view={view.value}
            size={size}
            line={line}
            isChosen={chosen.value?.geofence.id === mark.of.geofence.id}
            onChoose={(fence) => (chosen.value = fence)}
          />
        )
      })}
    </>
  )
}

/** The geofence that is chosen on the map, with the way to its page. */
function Chosen({ appId, fence, onClose }: { appId: number; fence: Fence; onClose(): void }) {
  const { id, name, isEnabled, activeUsers } = fence.geofence
  return (
    <div class="map-chosen" role="status">
      <div class="stack tight">
        <strong>{name}</strong>
        <span class="quiet small-text">
          {describeShape(fence.shape)} · {formatNumber(activeUsers)} {activeUsers === 1 ? 'person' : 'people'} inside
        </span>
      </div>
      {!isEnabled && <Badge tone="quiet">Off</Badge>}
      <Button size="small" href={href(`/apps/${appId}/geofences/${id}`)}>
        Open
      </Button>
      <IconButton icon={X} size="small" label="Choose none" onClick={onClose} />
    </div>
  )
}

interface OverviewProps {
  appId: number
  fences: readonly Fence[]
  isWhole: boolean
  /** Chosen on the map or in the list. */
  chosen: Signal<Fence | undefined>
}

/** The map with all geofences. It shows all of them at first. */
export function Overview({ appId, fences, isWhole, chosen }: OverviewProps) {
  const view = useSignal<View>(viewOf([], { width: 1000, height: 500 }))
  const size = useSignal<Size>({ width: 0, height: 0 })
  const pin = useSignal<LngLat | undefined>(undefined)
  const showsDensity = useSignal(false)
  const isFitted = useRef(false)
  const fit = (at: Size) => viewOf(cornersOf(fences), at)
  useEffect(() => {
    if (isFitted.current || !isWhole || size.value.width === 0) return
    isFitted.current = true
    // Somebody who has moved the map meanwhile stays where they are.
    if (!pin.peek()) view.value = fit(size.value)
  }, [isWhole, size.value])
  const { marks, names, left } = useMemo(
    () => placed(fences, view.value, size.value, chosen.value),
    [fences, view.value, size.value, chosen.value],
  )
  return (
    <Card isFlush>
      <div class="map-bar">
        <GoTo view={view} onFound={({ at }) => (pin.value = at)} />
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
        onClick={() => (chosen.value = undefined)}
        showsDensity={showsDensity.value}
        pin={pin.value}
        names={names}
        over={chosen.value && <Chosen appId={appId} fence={chosen.value} onClose={() => (chosen.value = undefined)} />}
      >
        {(at) => <Shown appId={appId} marks={marks} view={view} size={at} chosen={chosen} />}
      </MapFrame>
      <p class="map-hint">
        {left > 0 && <strong>{formatNumber(left)} smaller areas are not drawn: zoom in. </strong>}
        {showsDensity.value
          ? 'Squares show the last known positions of at least five installs, never of one person. Darker is more.'
          : 'Drag to move. The buttons, two fingers, or Ctrl and the wheel zoom. Choose a geofence to see what it is.'}
      </p>
    </Card>
  )
}
