import { useEffect, useRef } from 'preact/hooks'
import { type Doc, filled, type Tag } from './document.ts'

/** Screens on which the preview shows a message, in CSS pixels. */
export const DEVICES = {
  phone: { label: 'Phone', width: 390, height: 780, top: 44, bottom: 24 },
  small: { label: 'Small phone', width: 320, height: 568, top: 20, bottom: 0 },
  large: { label: 'Large phone', width: 430, height: 900, top: 50, bottom: 28 },
  tablet: { label: 'Tablet', width: 820, height: 1100, top: 24, bottom: 20 },
} as const
export type Device = keyof typeof DEVICES

/** Address of the page that draws messages as devices do. */
const RENDERER = '/console/iar/'
const LARGE_TEXT = '150%'
/** Both sides of the frame of a phone. */
const FRAME_PX = 16

interface FrameProps {
  content: Doc
  tags?: readonly Tag[]
  values?: Readonly<Record<string, unknown>>
  /** Name of the drawing, for screen readers. */
  label: string
  device?: Device
  /** Another screen, in CSS pixels, without the frame of a phone. */
  screen?: { width: number; height: number; top: number; bottom: number }
  look?: 'light' | 'dark' | 'auto'
  isRtl?: boolean
  isLargeText?: boolean
  /** Width of the drawing in CSS pixels of this page. */
  width?: number
}

/**
 * A message in the frame of a phone, drawn by the page that devices use. It loads when it comes into sight. It is a picture
 * here: it takes neither clicks nor the focus, which it would take away from the field that somebody types in.
 */
export function MessageFrame(props: FrameProps) {
  const { content, tags = [], values = {}, label, device = 'phone', look = 'auto', width = 280 } = props
  const frame = useRef<HTMLIFrameElement>(null)
  const isReady = useRef(false)
  const { width: across, height: down, top, bottom } = props.screen ?? DEVICES[device]
  const scale = width / across
  const doc = filled(content, tags, values)
  const shown: Doc = {
    ...doc,
    frame: { ...doc.frame, animation: 'none' },
    ...(props.isRtl && { defaults: { ...doc.defaults, dir: 'rtl' } }),
  }
  const present = useRef(() => {})
  present.current = () => {
    const page = frame.current?.contentWindow
    if (!page || !isReady.current) return
    page.document.documentElement.style.fontSize = props.isLargeText ? LARGE_TEXT : ''
    const insets = { insetTop: top, insetBottom: bottom, insetLeft: 0, insetRight: 0 }
    page.postMessage({ type: 'SET_NOTCH_INSETS', data: insets }, location.origin)
    page.postMessage({ type: 'PRESENT_MESSAGE', data: shown }, location.origin)
  }
  useEffect(() => {
    const hear = ({ source, data }: MessageEvent) => {
      if (source !== frame.current?.contentWindow || (data as { type?: unknown } | null)?.type !== 'READY') return
      // The page gives its message the focus, as it should in an app. `inert` alone does not keep browsers from that.
      const { HTMLElement } = source as Window & typeof globalThis
      HTMLElement.prototype.focus = () => {}
      isReady.current = true
      present.current()
    }
    addEventListener('message', hear)
    return () => removeEventListener('message', hear)
  }, [])
  const said = JSON.stringify(shown)
  useEffect(() => present.current(), [said, device, props.isLargeText])
  return (
    <div
      class={`message-phone ${props.screen ? 'bare' : ''}`}
      role="img"
      aria-label={label}
      style={{ inlineSize: `${props.screen ? width : width + FRAME_PX}px` }}
    >
      <div
        class="message-screen"
        style={{ blockSize: `${down * scale}px`, colorScheme: look === 'auto' ? 'inherit' : look }}
      >
        <iframe
          ref={frame}
          src={RENDERER}
          title={label}
          loading="lazy"
          tabIndex={-1}
          inert
          style={{ inlineSize: `${across}px`, blockSize: `${down}px`, transform: `scale(${scale})` }}
        />
      </div>
    </div>
  )
}
