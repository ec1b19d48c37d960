import { type Signal, useSignal } from '@preact/signals'
import { Download } from 'lucide'
import type { ComponentChildren } from 'preact'
import { useEffect, useRef } from 'preact/hooks'
import { holdPage } from '../state/router.ts'
import { Button, COPIED, CopyButton } from './button.tsx'
import { ConfirmDialog, Dialog } from './overlays.tsx'
import { saveFile } from './save-file.ts'
import { Note } from './surfaces.tsx'

/**
 * Tells whether people have taken what an element shows: with a button that copies or saves, or with the keys. Until then the page is not
 * left without `ask`.
 */
function useTaken(ask: (go: () => void) => void) {
  const isTaken = useSignal(false)
  const box = useRef<HTMLDivElement>(null)
  const now = isTaken.value
  useEffect(() => {
    const take = () => void (isTaken.value = true)
    box.current?.addEventListener(COPIED, take)
    box.current?.addEventListener('copy', take)
    return () => {
      box.current?.removeEventListener(COPIED, take)
      box.current?.removeEventListener('copy', take)
    }
  }, [])
  useEffect(() => (now ? undefined : holdPage(ask)), [now])
  return { isTaken, box }
}

interface TakeProps {
  text: string
  /** Name of the file that has it. */
  file: string
  isTaken: Signal<boolean>
}

/** The buttons that copy and save a text. */
function Take({ text, file, isTaken }: TakeProps) {
  const download = () => {
    saveFile(file, `${text}\n`, 'text/plain')
    isTaken.value = true
  }
  return (
    <>
      <CopyButton text={text} tone={isTaken.value ? 'plain' : 'primary'} />
      <Button icon={Download} onClick={download}>
        Download
      </Button>
    </>
  )
}

interface ShownOnceProps {
  title: string
  /** A key, a link, or codes, one a line. */
  value: string
  /** Effect of somebody else having it, or of losing it. */
  warning?: string
  /** Purpose of it, and how it is used. */
  about: ComponentChildren
  file: string
  onClose(): void
}

/**
 * Something that is shown once. Only its own button closes it: no Escape, no click beside it, no link. Whoever has copied nothing is
 * asked first.
 */
export function ShownOnce({
  title,
  value,
  warning = 'Keep it in a safe place.',
  about,
  file,
  onClose,
}: ShownOnceProps) {
  /** Way out that people took when they were asked. */
  const asked = useSignal<(() => void) | undefined>(undefined)
  const { isTaken, box } = useTaken((go) => void (asked.value = go))
  const isAsked = asked.value !== undefined && !isTaken.value
  const close = () => {
    if (isTaken.peek()) onClose()
    else asked.value = onClose
  }
  return (
    <Dialog title={title} onClose={close} isHeld>
      <div class="stack" ref={box}>
        <Note tone="warn" title={`It is shown this once. ${warning}`} />
        <p class="mono once">{value}</p>
        <p class="quiet">{about}</p>
        <div role="alert">
          {isAsked && (
            <Note
              tone="bad"
              title="You have not copied it, and it is not shown again."
              actions={
                <Button size="small" onClick={() => asked.peek()?.()}>
                  Close without copying
                </Button>
              }
            />
          )}
        </div>
        <div class="dialog-foot">
          <Take text={value} file={file} isTaken={isTaken} />
          <Button tone={isTaken.value ? 'primary' : 'plain'} onClick={close}>
            Done
          </Button>
        </div>
      </div>
    </Dialog>
  )
}

interface KeptProps {
  /** All of it, for the buttons. */
  text: string
  file: string
  children: ComponentChildren
  /** Buttons beside those that take it. */
  actions: ComponentChildren
}

/** Something that a page shows once: whoever leaves the page and has copied nothing is asked first. */
export function ShownOnPage({ text, file, children, actions }: KeptProps) {
  const asked = useSignal<(() => void) | undefined>(undefined)
  const { isTaken, box } = useTaken((go) => void (asked.value = go))
  return (
    <div class="stack" ref={box}>
      {children}
      <div class="dialog-foot">
        <Take text={text} file={file} isTaken={isTaken} />
        {actions}
      </div>
      {asked.value && (
        <ConfirmDialog
          title="Leave without copying?"
          action="Leave without copying"
          run={async () => asked.peek()?.()}
          onClose={() => (asked.value = undefined)}
        >
          <p>You have copied nothing, and it is not shown again.</p>
        </ConfirmDialog>
      )}
    </div>
  )
}
