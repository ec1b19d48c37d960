/** A page of the server in a frame that can reach nothing of this page. */
export interface Frame {
  element: HTMLIFrameElement
  post(type: string, data?: unknown): void
  close(): void
}

/** The time (ms) in which the page in the frame says that it is ready. */
const READY_MS = 10_000

/**
 * Opens a frame. `hear` gets the messages of exactly this frame; `fail` runs when it stays silent. In its sandbox the frame has no origin of its own, so its
 * messages say `null`, and no message of this page can be addressed to it otherwise than by its window.
 */
export function openFrame(url: string, hear: (type: string, data: unknown) => void, fail: () => void): Frame {
  const element = document.createElement('iframe')
  element.setAttribute('sandbox', 'allow-scripts')
  element.title = 'Message'
  element.src = url
  const timer = setTimeout(() => {
    frame.close()
    fail()
  }, READY_MS)
  const listen = ({ source, origin, data }: MessageEvent<{ type?: string; data?: unknown } | null>) => {
    if (source !== element.contentWindow || origin !== 'null' || typeof data?.type !== 'string') return
    clearTimeout(timer)
    hear(data.type, data.data)
  }
  const frame: Frame = {
    element,
    post: (type, data) => element.contentWindow?.postMessage({ type, data }, '*'),
    close() {
      clearTimeout(timer)
      removeEventListener('message', listen)
      element.remove()
    },
  }
  addEventListener('message', listen)
  ;(document.body ?? document.documentElement).append(element)
  return frame
}
