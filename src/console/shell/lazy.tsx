import { useSignal } from '@preact/signals'
import type { ComponentType } from 'preact'
import { useEffect } from 'preact/hooks'
import { messageOf } from '../api/errors.ts'
import { toast } from '../parts/overlays.tsx'

interface Closable {
  onClose(): void
}

/** A dialog whose script is loaded when it opens. */
export function Lazy({ load, onClose }: Closable & { load(): Promise<{ default: ComponentType<Closable> }> }) {
  const loaded = useSignal<{ Dialog: ComponentType<Closable> } | undefined>(undefined)
  useEffect(() => {
    load().then(
      ({ default: Dialog }) => void (loaded.value = { Dialog }),
      (error: unknown) => {
        toast(messageOf(error))
        onClose()
      },
    )
  }, [])
  const { Dialog } = loaded.value ?? {}
  return Dialog ? <Dialog onClose={onClose} /> : null
}
