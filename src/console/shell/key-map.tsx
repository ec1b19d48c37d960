import { Dialog } from '../parts/overlays.tsx'
import { shortcuts } from './keys.ts'

/** The list that "?" shows. */
export function KeyMap({ onClose }: { onClose(): void }) {
  return (
    <Dialog title="Keys" onClose={onClose}>
      <div class="keys">
        {shortcuts.value.map(({ keys, says }) => (
          <div key={keys}>
            <span>{says}</span>
            <span class="row">
              {keys.split(' ').map((key, i) => (
                <kbd key={i}>{key}</kbd>
              ))}
            </span>
          </div>
        ))}
        <div>
          <span>Close a dialog or a menu</span>
          <kbd>Esc</kbd>
        </div>
      </div>
    </Dialog>
  )
}
