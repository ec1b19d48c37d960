import { api } from '../../api/client.ts'
import { Button } from '../../parts/button.tsx'
import { AsCommand } from '../../parts/code.tsx'
import { NumberField, Switch, TextArea, TextField } from '../../parts/field.tsx'
import { FileDrop } from '../../parts/file-drop.tsx'
import { Form, useForm } from '../../parts/form.tsx'
import { toast } from '../../parts/overlays.tsx'
import { commandLine } from '../../parts/shell-words.ts'
import type { LinkSettings } from './words.ts'

interface Values {
  domain: string
  iosTeamId: string
  /** One a line. */
  iosBundleIds: string
  appStoreUrl: string
  androidPackage: string
  androidSha256: string
  playStoreUrl: string
  /** Minutes. */
  fingerprintWindow: number | null
  offersClipboard: boolean
  icon: string | null
}

const valuesOf = (settings: LinkSettings): Values => ({
  domain: settings.domain ?? '',
  iosTeamId: settings.iosTeamId ?? '',
  iosBundleIds: settings.iosBundleIds.join('\n'),
  appStoreUrl: settings.appStoreUrl ?? '',
  androidPackage: settings.androidPackage ?? '',
  androidSha256: settings.androidSha256.join('\n'),
  playStoreUrl: settings.playStoreUrl ?? '',
  fingerprintWindow: settings.fingerprintWindow / 60,
  offersClipboard: settings.offersClipboard,
  icon: settings.icon,
})

const linesOf = (text: string): string[] => text.split(/[\s,]+/).filter((line) => line !== '')
const orNull = (text: string): string | null => text.trim() || null

const bodyOf = (values: Values) => ({
  domain: orNull(values.domain),
  iosTeamId: orNull(values.iosTeamId),
  iosBundleIds: linesOf(values.iosBundleIds),
  appStoreUrl: orNull(values.appStoreUrl),
  androidPackage: orNull(values.androidPackage),
  androidSha256: linesOf(values.androidSha256),
  playStoreUrl: orNull(values.playStoreUrl),
  fingerprintWindow: Math.round((values.fingerprintWindow ?? 0) * 60),
  offersClipboard: values.offersClipboard,
  icon: values.icon,
})

function commandOf(appId: number, body: ReturnType<typeof bodyOf>, before: LinkSettings): string {
  const many = (flag: string, values: readonly string[]) =>
    values.length === 0 ? [flag, 'off'] : values.flatMap((value) => [flag, value])
  return commandLine(
    'links',
    'settings',
    '--app',
    appId,
    '--domain',
    body.domain ?? 'off',
    '--ios-team',
    body.iosTeamId ?? 'off',
    ...many('--ios-bundle', body.iosBundleIds),
    '--app-store-url',
    body.appStoreUrl ?? 'off',
    '--android-package',
    body.androidPackage ?? 'off',
    ...many('--android-sha256', body.androidSha256),
    '--play-store-url',
    body.playStoreUrl ?? 'off',
    '--fingerprint-window',
    body.fingerprintWindow === 0 ? 'off' : `${body.fingerprintWindow}s`,
    body.offersClipboard ? '--clipboard' : '--no-clipboard',
    ...(body.icon === before.icon ? [] : ['--icon', body.icon === null ? 'off' : 'icon.png']),
  )
}

interface Props {
  appId: number
  settings: LinkSettings
  onSaved(settings: LinkSettings): void
}

export function SettingsForm({ appId, settings, onSaved }: Props) {
  const form = useForm<Values>(valuesOf(settings), {
    draft: `link-settings-${appId}`,
    edits: {
      before: settings,
      read: () => api.get('/admin/v1/apps/{appId}/link-settings', { path: { appId } }),
    },
    submit: async (values) => {
      const saved = await api.put('/admin/v1/apps/{appId}/link-settings', { path: { appId }, body: bodyOf(values) })
      onSaved(saved)
      form.reset(valuesOf(saved))
      toast('The link settings are saved.')
    },
  })
  const body = bodyOf(form.values.value)
  const takeIcon = async ([file]: readonly File[]) => form.set({ icon: await dataUrlOf(file!) })
  const { icon } = form.values.value
  return (
    <Form
      form={form}
      submitLabel="Save the settings"
      also={
        <AsCommand
          command={commandOf(appId, body, settings)}
          call={{ method: 'PUT', path: `/admin/v1/apps/${appId}/link-settings`, body }}
        />
      }
    >
      <TextField
        {...form.field('domain')}
        label="Host name"
        placeholder="go.example.com"
        hint="Its DNS record leads to this server, and it needs a certificate."
        isOptional
        isMono
      />
      <fieldset class="settings-part">
        <legend>iPhone and iPad</legend>
        <TextField {...form.field('iosTeamId')} label="Apple team id" placeholder="A1B2C3D4E5" isOptional isMono />
        <TextArea
          {...form.field('iosBundleIds')}
          label="Bundle ids"
          hint="One a line, such as com.example.app."
          rows={2}
          isOptional
          isMono
        />
        <TextField
          {...form.field('appStoreUrl')}
          label="Address in the App Store"
          type="url"
          placeholder="https://apps.apple.com/app/id1234567890"
          isOptional
        />
      </fieldset>
      <fieldset class="settings-part">
        <legend>Android</legend>
        <TextField
          {...form.field('androidPackage')}
          label="Package name"
          placeholder="com.example.app"
          isOptional
          isMono
        />
        <TextArea
          {...form.field('androidSha256')}
          label="Fingerprints of the signing certificates"
          hint="SHA-256, one a line: that of Play Console, and those of test builds."
          rows={2}
          isOptional
          isMono
        />
        <TextField
          {...form.field('playStoreUrl')}
          label="Address in Google Play"
          type="url"
          placeholder="https://play.google.com/store/apps/details?id=com.example.app"
          isOptional
        />
      </fieldset>
      <fieldset class="settings-part">
        <legend>Jump page</legend>
        <div class="stack tight">
          {icon !== null && (
            <div class="row">
              <img class="app-icon" src={icon} alt="The icon" width={48} height={48} />
              <Button size="small" onClick={() => form.set({ icon: null })}>
                Remove the icon
              </Button>
            </div>
          )}
          <FileDrop
            label={icon === null ? 'Icon of the app' : 'Another icon'}
            hint="PNG, JPEG or WebP of at most 24 kB. The jump page, chats and QR codes show it."
            accept="image/png,image/jpeg,image/webp"
            error={form.field('icon').error}
            onFiles={(files) => void takeIcon(files)}
          />
        </div>
        <Switch
          {...form.field('offersClipboard')}
          label="Copy the link for the first start"
          hint="The button to the store also copies the link, so that the app finds it after the installation."
        />
        <NumberField
          {...form.field('fingerprintWindow')}
          label="Recognise a similar device after a tap"
          hint="A guess by what the browser tells of the device. 0 switches it off."
          min={0}
          max={1440}
          unit="minutes"
        />
      </fieldset>
    </Form>
  )
}

function dataUrlOf(file: File): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>()
  const reader = new FileReader()
  reader.addEventListener('load', () => resolve(reader.result as string))
  reader.addEventListener('error', () => reject(reader.error ?? new Error('the file could not be read')))
  reader.readAsDataURL(file)
  return promise
}
