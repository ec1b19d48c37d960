import { useSignal } from '@preact/signals'
import { Download } from 'lucide'
import { Button } from '../../parts/button.tsx'
import { AsCommand } from '../../parts/code.tsx'
import { Switch } from '../../parts/field.tsx'
import { command } from '../../parts/shell-words.ts'
import { Card } from '../../parts/surfaces.tsx'
import { href } from '../../state/router.ts'
import type { Link } from './words.ts'

const PRINT_PX = 1024

/** The QR code of a link, to look at and to take along. */
export function QrCard({ appId, link, hasIcon }: { appId: number; link: Link; hasIcon: boolean }) {
  const wantsLogo = useSignal(true)
  const isBusy = useSignal(false)
  const logo = hasIcon && wantsLogo.value
  const src = `/admin/v1/apps/${appId}/deep-links/${link.id}/qr?logo=${logo}`
  const name = link.slug.replaceAll('/', '-')
  const savePng = async () => {
    isBusy.value = true
    try {
      save(await drawn(`${src}&size=${PRINT_PX}`), `${name}.png`)
    } finally {
      isBusy.value = false
    }
  }
  return (
    <Card title="QR code" about="For print and screens. It keeps working when the link changes.">
      <div class="stack">
        <img class="qr" src={src} alt={`QR code of ${link.url}`} width={240} height={240} />
        {hasIcon ? (
          <Switch
            label="With the icon of the app"
            value={wantsLogo.value}
            onChange={(value) => (wantsLogo.value = value)}
          />
        ) : (
          <p class="quiet small-text">
            With an icon in the <a href={href(`/apps/${appId}/links/settings`)}>link settings</a> it can stand in the
            middle of the code.
          </p>
        )}
        <div class="row">
          <Button icon={Download} href={src} download={`${name}.svg`}>
            Save as SVG
          </Button>
          <Button icon={Download} isBusy={isBusy.value} onClick={() => void savePng()}>
            Save as PNG
          </Button>
        </div>
        <AsCommand
          command={command`links qr --app ${appId} ${link.slug} ${logo ? '--logo' : undefined} --output ${`${name}.svg`}`}
        />
      </div>
    </Card>
  )
}

/** The drawing at `src` as a PNG, in a data URL. */
async function drawn(src: string): Promise<string> {
  const picture = new Image(PRINT_PX, PRINT_PX)
  picture.src = src
  await picture.decode()
  const canvas = document.createElement('canvas')
  canvas.width = canvas.height = PRINT_PX
  canvas.getContext('2d')!.drawImage(picture, 0, 0, PRINT_PX, PRINT_PX)
  return canvas.toDataURL('image/png')
}

function save(url: string, name: string): void {
  const link = document.createElement('a')
  link.href = url
  link.download = name
  link.click()
}
