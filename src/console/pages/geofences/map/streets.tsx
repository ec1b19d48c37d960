import { Code } from '../../../parts/code.tsx'
import { Dialog } from '../../../parts/overlays.tsx'

const SETTING = `console:
  tiles: https://tiles.example.com/{z}/{x}/{y}.png
  tilesCredit: © OpenStreetMap contributors`

/** The way to streets on the map: a setting of the server, which only its operator can make. */
export function StreetsDialog({ onClose }: { onClose(): void }) {
  return (
    <Dialog title="Streets on the map" onClose={onClose}>
      <div class="stack">
        <p>
          This map comes with the console and asks no other server. It has coasts, borders and 7 300 towns, and no
          streets. Whoever runs this server can add them: name a server of map pictures in the configuration, and start
          again.
        </p>
        <Code text={SETTING} label="Copy the setting" />
        <p class="quiet small-text">
          The pictures come from a server of your own, or one whose terms allow it. It learns which places people look
          at here.
        </p>
      </div>
    </Dialog>
  )
}
