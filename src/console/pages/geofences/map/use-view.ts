import { type Signal, useSignal } from '@preact/signals'
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks'
import { kept, positionAt, type Size, type Spot, type View } from './projection.ts'

/** Pixels of a step with an arrow key. */
const STEP = 80
/** A press that moves less is a click. */
const STILL_PX = 4
/** Time for which the hint for the wheel stays. */
const HINT_MS = 1400

/** The size of an element, kept up to date. It is known before anybody can press the element. */
export function useSize(frame: { current: HTMLElement | null }): Signal<Size> {
  const size = useSignal<Size>({ width: 0, height: 0 })
  useLayoutEffect(() => {
    const at = frame.current
    if (!at) return
    const measure = () => {
      size.value = { width: at.clientWidth, height: at.clientHeight }
    }
    measure()
    const observer = new ResizeObserver(measure)
    observer.observe(at)
    return () => observer.disconnect()
  }, [])
  return size
}

/** The same place stays below `spot` while the zoom changes. */
export function zoomed(view: View, size: Size, by: number, spot?: Spot): View {
  const at = spot ?? { x: size.width / 2, y: size.height / 2 }
  const [lng, lat] = positionAt(at, view, size)
  const next = kept({ ...view, zoom: view.zoom + by })
  const [lng2, lat2] = positionAt(at, next, size)
  return kept({ ...next, lng: next.lng + lng - lng2, lat: next.lat + lat - lat2 })
}

/** The view after the map was pushed by `dx` and `dy` pixels. */
function panned(view: View, size: Size, dx: number, dy: number): View {
  const [lng, lat] = positionAt({ x: size.width / 2 - dx, y: size.height / 2 - dy }, view, size)
  return kept({ ...view, lng, lat })
}

/** The view after a key; undefined for keys that do nothing. */
export function viewAfterKey(key: string, view: View, size: Size): View | undefined {
  const push = { ArrowLeft: [STEP, 0], ArrowRight: [-STEP, 0], ArrowUp: [0, STEP], ArrowDown: [0, -STEP] }[key]
  if (push) return panned(view, size, push[0]!, push[1]!)
  if (key === '+' || key === '=') return zoomed(view, size, 1)
  if (key === '-') return zoomed(view, size, -1)
  return undefined
}

interface Gestures {
  view: Signal<View>
  size: Signal<Size>
  /** A press that did not move. */
  onClick(spot: Spot): void
}

/** Pushing with a finger or the mouse, two fingers, and the wheel while the map has the focus or Ctrl is down. */
export function useGestures(frame: { current: HTMLElement | null }, { view, size, onClick }: Gestures) {
  const pointers = useRef(new Map<number, Spot>())
  const travelled = useRef(0)
  const spotOfEvent = (event: MouseEvent): Spot => {
    const box = frame.current!.getBoundingClientRect()
    return { x: event.clientX - box.left, y: event.clientY - box.top }
  }
  const wantsCtrl = useSignal(false)
  useEffect(() => {
    const at = frame.current
    if (!at) return
    let timer: ReturnType<typeof setTimeout> | undefined
    const wheel = (event: WheelEvent) => {
      clearTimeout(timer)
      if (!event.ctrlKey && !event.metaKey && !at.contains(document.activeElement)) {
        // The page scrolls; whoever wanted to zoom learns how.
        wantsCtrl.value = true
        timer = setTimeout(() => (wantsCtrl.value = false), HINT_MS)
        return
      }
      wantsCtrl.value = false
      event.preventDefault()
      view.value = zoomed(view.peek(), size.peek(), -event.deltaY / 300, spotOfEvent(event))
    }
    at.addEventListener('wheel', wheel, { passive: false })
    return () => {
      clearTimeout(timer)
      at.removeEventListener('wheel', wheel)
    }
  }, [])

  return {
    /** Somebody turned the wheel over the map without the key that zooms. */
    wantsCtrl,
    spotOfEvent,
    onPointerDown(event: PointerEvent) {
      if (event.button !== 0) return
      if (pointers.current.size === 0) travelled.current = 0
      pointers.current.set(event.pointerId, spotOfEvent(event))
    },
    onPointerMove(event: PointerEvent) {
      const before = pointers.current.get(event.pointerId)
      if (!before) return
      const now = spotOfEvent(event)
      const others = [...pointers.current].filter(([id]) => id !== event.pointerId)
      pointers.current.set(event.pointerId, now)
      const other = others[0]?.[1]
      travelled.current += Math.hypot(now.x - before.x, now.y - before.y)
      if (!other) {
        if (travelled.current < STILL_PX) return
        // Not before: a captured press would be no click on what lies below it.
        frame.current!.setPointerCapture(event.pointerId)
        view.value = panned(view.peek(), size.peek(), now.x - before.x, now.y - before.y)
        return
      }
      const [was, is] = [
        Math.hypot(before.x - other.x, before.y - other.y),
        Math.hypot(now.x - other.x, now.y - other.y),
      ]
      const mid = { x: (now.x + other.x) / 2, y: (now.y + other.y) / 2 }
      const moved = panned(view.peek(), size.peek(), (now.x - before.x) / 2, (now.y - before.y) / 2)
      view.value = zoomed(moved, size.peek(), Math.log2(Math.max(is, 1) / Math.max(was, 1)), mid)
    },
    onPointerUp(event: PointerEvent) {
      const isClick =
        pointers.current.size === 1 && pointers.current.has(event.pointerId) && travelled.current < STILL_PX
      pointers.current.delete(event.pointerId)
      if (isClick) onClick(spotOfEvent(event))
    },
    onPointerCancel(event: PointerEvent) {
      pointers.current.delete(event.pointerId)
    },
  }
}
