import { Download } from 'lucide'
import { Button } from '../../parts/button.tsx'
import { Dialog } from '../../parts/overlays.tsx'
import { Note } from '../../parts/surfaces.tsx'
import { Copyable } from '../../parts/values.tsx'

interface ShownOnceProps {
  title: string
  value: string
  /** Purpose of the secret, and how it is used. */
  about: string
  /** Name of the file. */
  file: string
  onClose(): void
}

/** A new secret: to copy or to download, and then it is gone. */
export function ShownOnce({ title, value, about, file, onClose }: ShownOnceProps) {
  return (
    <Dialog title={title} onClose={onClose}>
      <div class="stack">
        <Note tone="warn" title="It is shown this once. Keep it in a safe place." />
        <Copyable text={value} />
        <p class="quiet">{about}</p>
        <div class="dialog-foot">
          <Button icon={Download} onClick={() => save(value, file)}>
            Download
          </Button>
          <Button tone="primary" onClick={onClose}>
            I have kept it
          </Button>
        </div>
      </div>
    </Dialog>
  )
}

function save(text: string, name: string): void {
  const url = URL.createObjectURL(new Blob([`${text}\n`], { type: 'text/plain' }))
  const link = document.createElement('a')
  link.href = url
  link.download = name
  link.click()
  URL.revokeObjectURL(url)
}
