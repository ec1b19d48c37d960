import { useSignal } from '@preact/signals'
import { Images } from 'lucide'
import { api, asked, type Body } from '../../api/client.ts'
import { messageOf } from '../../api/errors.ts'
import * as row from '../../forms/rows.ts'
import { listOf, valuesOf } from '../../forms/table.ts'
import { TableForm, type TableState, useTable } from '../../forms/table-form.tsx'
import { Button } from '../../parts/button.tsx'
import { FileDrop } from '../../parts/file-drop.tsx'
import { toast } from '../../parts/overlays.tsx'
import { ownPicture } from '../../parts/picture-address.ts'
import { PictureDialog } from '../../parts/picture-library.tsx'
import { PLATFORMS } from '../../parts/platforms.ts'
import { command } from '../../parts/shell-words.ts'
import { iconOf } from './icon.ts'
import type { LinkSettings } from './words.ts'

const SETTINGS = '/admin/v1/apps/{appId}/link-settings'
/** Ways of a field whose empty value is sent as null, and is `off` in a command. */
const orNone = { isOptional: true, empty: 'null', off: 'off' } as const
const many = {
  rows: 2,
  isOptional: true,
  empty: 'sent',
  off: 'off',
  to: (all: string) => listOf(all, /[\s,]/),
} as const

/** The settings, with the flags of `links settings`. */
const FORM = row.table<Body<typeof SETTINGS, 'put'>>()(
  row.text('domain', 'Host name', {
    ...orNone,
    flag: 'domain',
    placeholder: 'go.example.com',
    hint: 'Its DNS record leads to this server, and it needs a certificate.',
    isMono: true,
  }),
  row.part(PLATFORMS.ios.name, [
    row.text('iosTeamId', 'Apple team id', { ...orNone, flag: 'ios-team', placeholder: 'A1B2C3D4E5', isMono: true }),
    row.lines('iosBundleIds', 'Bundle ids', {
      ...many,
      flag: 'ios-bundle',
      hint: 'One a line, such as com.example.app.',
    }),
    row.text('appStoreUrl', 'Link to the App Store', {
      ...orNone,
      flag: 'app-store-url',
      type: 'url',
      placeholder: 'https://apps.apple.com/app/id1234567890',
    }),
  ]),
  row.part(PLATFORMS.android.name, [
    row.text('androidPackage', 'Package name', {
      ...orNone,
      flag: 'android-package',
      placeholder: 'com.example.app',
      isMono: true,
    }),
    row.lines('androidSha256', 'Fingerprints of the signing certificates', {
      ...many,
      flag: 'android-sha256',
      hint: 'SHA-256, one a line: that of Play Console, and those of test builds.',
    }),
    row.text('playStoreUrl', 'Link to Google Play', {
      ...orNone,
      flag: 'play-store-url',
      type: 'url',
      placeholder: 'https://play.google.com/store/apps/details?id=com.example.app',
    }),
  ]),
  row.part('Jump page', [
    row.own('icon', null as string | null),
    row.text('color', 'Colour of the app', { ...orNone, flag: 'color', placeholder: '#0b6157', isMono: true }),
    row.toggle('offersClipboard', 'Copy the link for the first start', {
      flag: 'clipboard',
      hint: 'The button to the store also copies the link, so that the app finds it after the installation.',
    }),
    row.toggle('offersCode', 'Show computers a QR code', {
      flag: 'code',
      hint: 'A phone reads the link from the screen. Without it, computers are sent to their page at once.',
    }),
    row.number('fingerprintWindow', 'Recognise a similar device after a tap', {
      hint: 'A guess by what the browser tells of the device. 0 switches it off.',
      min: 0,
      max: 1440,
      unit: 'minutes',
      to: (minutes) => Math.round((minutes ?? 0) * 60),
      from: (seconds) => Number(seconds) / 60,
      flag: 'fingerprint-window',
      say: (seconds: number) => (seconds === 0 ? 'off' : `${seconds}s`),
    }),
  ]),
)

interface Props {
  appId: number
  settings: LinkSettings
  onSaved(settings: LinkSettings): void
}

export function SettingsForm({ appId, settings, onSaved }: Props) {
  const path = { appId }
  const form = useTable(FORM, {
    of: settings,
    read: () => api.get(SETTINGS, { path }),
    draft: `link-settings-${appId}`,
    call: (body) => asked('put', SETTINGS, { path, body }),
    done(saved) {
      onSaved(saved)
      form.reset(valuesOf(FORM, saved))
      toast('The link settings are saved.')
    },
  })
  const { icon } = form.values.value
  const logo = icon !== settings.icon && ['--icon', icon === null ? 'off' : 'icon.png']
  return (
    <TableForm
      form={form}
      submitLabel="Save the settings"
      command={command`links settings --app ${appId} ${form.flags} ${logo}`}
      extras={{ icon: () => <IconField appId={appId} form={form} /> }}
    />
  )
}

function IconField({ appId, form }: { appId: number; form: TableState<typeof FORM> }) {
  const { value: icon, error, onChange } = form.field('icon')
  const isOpen = useSignal(false)
  const problem = useSignal<string | undefined>(undefined)
  const take = async (read: () => Promise<Blob>) => {
    problem.value = undefined
    try {
      onChange(await iconOf(await read()))
    } catch (failure) {
      problem.value = messageOf(failure)
    }
  }
  return (
    <div class="stack tight">
      <div class="row">
        {icon !== null && <img class="app-icon" src={icon} alt="The icon" width={48} height={48} />}
        <Button size="small" icon={Images} onClick={() => (isOpen.value = true)}>
          Choose a picture
        </Button>
        {icon !== null && (
          <Button size="small" onClick={() => onChange(null)}>
            Remove the icon
          </Button>
        )}
      </div>
      <FileDrop
        label={icon === null ? 'Icon of the app' : 'Another icon'}
        hint="PNG, JPEG or WebP; a large one is scaled down. The jump page, chats and QR codes show it."
        accept="image/png,image/jpeg,image/webp"
        error={problem.value ?? error}
        onFiles={([file]) => void take(() => Promise.resolve(file!))}
      />
      {isOpen.value && (
        <PictureDialog
          appId={appId}
          onChoose={({ url }) => void take(async () => (await fetch(ownPicture(url)!)).blob())}
          onClose={() => (isOpen.value = false)}
        />
      )}
    </div>
  )
}
