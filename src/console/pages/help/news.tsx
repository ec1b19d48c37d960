import { NEWS } from 'release-notes'
import { Dialog } from '../../parts/overlays.tsx'

/** The news of this version, as operators read them in its notes. */
export default function News({ onClose }: { onClose(): void }) {
  return (
    <Dialog title={`What is new in ${APPSVC_VERSION}`} onClose={onClose} isWide>
      <ul class="stack tight">
        {NEWS.map((line) => (
          <li key={line}>{line.split('`').map((part, i) => (i % 2 === 1 ? <code key={i}>{part}</code> : part))}</li>
        ))}
      </ul>
    </Dialog>
  )
}
