import { useSignal } from '@preact/signals'
import { useEffect, useRef } from 'preact/hooks'
import { useGet } from '../../api/load.ts'
import { MessageFrame } from '../templates/frame.tsx'
import { readableDocument } from './readable-document.ts'

/** The upper part of a phone, in CSS pixels: enough to recognize a message. */
const SCREEN = { width: 390, height: 560, top: 0, bottom: 0 }
const WIDTH = 72

/** A message as people see it, so small that it fits a row of a list. It is read when it comes into sight. */
export function Thumb({ appId, id }: { appId: number; id: number }) {
  const at = useRef<HTMLDivElement>(null)
  const isSeen = useSignal(false)
  useEffect(() => {
    const watcher = new IntersectionObserver((entries) => {
      if (!entries.some(({ isIntersecting }) => isIntersecting)) return
      isSeen.value = true
      watcher.disconnect()
    })
    watcher.observe(at.current!)
    return () => watcher.disconnect()
  }, [])
  const report = useGet('/admin/v1/apps/{appId}/in-app-messages/{id}', isSeen.value ? { path: { appId, id } } : null)
  const document = report.value.value?.document
  return (
    <div ref={at} class="message-thumb">
      {document && (
        <MessageFrame label="How it looks" content={readableDocument(document)} screen={SCREEN} width={WIDTH} />
      )}
    </div>
  )
}
