import { Dialog } from '../parts/overlays.tsx'
import { shortcuts } from '../state/keys.ts'

/** Keys that parts of pages handle themselves. */
const ELSEWHERE = [
  ['Close a dialog or a menu', 'Esc'],
  ['Move a map, zoom, show everything', '←', '→', '+', '−', '0'],
  ['Move a block of a template', 'Alt', '↑', '↓'],
  ['Undo a change of a template', 'Ctrl', 'Z'],
] as const

/** The list that "?" shows. */
export function KeyMap({ onClose }: { onClose(): void }) {
  return (
    <Dialog title="Keys" onClose={onClose}>
      <div class="keys">
        {shortcuts.value.map(({ keys, says }) => (
          <div key={keys}>
            <span>{says}</span>
            <span class="row">
              {keys.split(/[ +]/).map((key, i) => (
                <kbd key={i}>{key}</kbd>
              ))}
            </span>
          </div>
        ))}
        {ELSEWHERE.map(([says, ...keys]) => (
          <div key={says}>
            <span>{says}</span>
            <span class="row">
              {keys.map((key) => (
                <kbd key={key}>{key}</kbd>
              ))}
            </span>
          </div>
        ))}
      </div>
    </Dialog>
  )
}
