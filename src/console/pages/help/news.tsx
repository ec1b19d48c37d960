import { NEWS } from 'release-notes'
import { Dialog } from '../../parts/overlays.tsx'

/** The news of this version, as operators read them in its notes. */
export default function News({ onClose }: { onClose(): void }) {
  return (
    <Dialog title={`What is new in ${APPSVC_VERSION}`} onClose={onClose} isWide>
      <ul class="news stack tight">
        {NEWS.map((line) => (
          <li key={line}>
            {line
              .split(/(`[^`]+`|\*[^*]+\*)/)
              .map((part, i) =>
                i % 2 === 0 ? (
                  part
                ) : part.startsWith('`') ? (
                  <code key={i}>{part.slice(1, -1)}</code>
                ) : (
                  <em key={i}>{part.slice(1, -1)}</em>
                ),
              )}
          </li>
        ))}
      </ul>
    </Dialog>
  )
}
