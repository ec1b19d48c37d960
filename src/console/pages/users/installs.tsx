import { Smartphone } from 'lucide'
import { platformName } from '../../parts/platforms.ts'
import { Badge, Card, Empty } from '../../parts/surfaces.tsx'
import { Copyable, KeyValues, More, Time } from '../../parts/values.tsx'
import { type ProfileInstall, type UserProps, wayName } from './types.ts'

/** The devices of a user, and whether pushes reach them. */
export function Installs({ profile }: UserProps) {
  const { installs } = profile
  return (
    <Card
      title={installs.length === 1 ? 'Device' : `Devices (${installs.length})`}
      about="Each app on a device is one install."
    >
      {installs.length === 0 ? (
        <Empty icon={Smartphone} title="No device">
          Nobody has opened the app under this identifier.
        </Empty>
      ) : (
        <ul class="plain-list rows">
          {installs.map((install, i) => (
            <li key={i}>
              <Install install={install} />
            </li>
          ))}
        </ul>
      )}
    </Card>
  )
}

function Install({ install }: { install: ProfileInstall }) {
  const { push } = install
  const system = [install.os ?? (push.platform && platformName(push.platform)), install.osVersion]
    .filter(Boolean)
    .join(' ')
  return (
    <div class="stack tight">
      <div class="row spread">
        <strong class="user-name" title={install.deviceModel ?? undefined}>
          {install.deviceName ?? install.deviceModel ?? (system || 'Device')}
        </strong>
        <PushBadge push={push} />
      </div>
      <p class="quiet small-text">
        {[system, install.appVersion && `app ${install.appVersion}`].filter(Boolean).join(' · ')}
        {system || install.appVersion ? ' · ' : ''}
        active <Time at={install.lastActive} />
      </p>
      {push.state !== 'ready' && <p class="small-text">{SAYS[push.state]}</p>}
      <More label="Details">
        <KeyValues
          items={[
            ['Install id', <Copyable key="id" text={install.installId} />],
            ['Model', install.deviceModel ?? undefined],
            ['SDK', [install.sdkType, install.sdkVersion].filter(Boolean).join(' ') || undefined],
            ['Build', install.buildKind ?? undefined],
            ['Simulator', install.simulator === null ? undefined : install.simulator ? 'yes' : 'no'],
            ['Language', install.locale ?? undefined],
            ['Country', install.countryIsoCode ?? undefined],
            ['Time zone', install.timezone ?? undefined],
            [
              'Token registered',
              push.registered === null ? undefined : <Time key="registered" at={push.registered} isExact />,
            ],
            ['Transport', push.transport ?? undefined],
            ['Token environment', push.environment ?? undefined],
            ['Token topic', push.topic ?? undefined],
            ['Refusals since', push.refusals === 0 ? undefined : push.refusals],
            [
              'Last token refused',
              push.retired === null ? undefined : (
                <span key="retired">
                  {push.retired.reason}, <Time at={push.retired.at} />
                </span>
              ),
            ],
            ['First seen', <Time key="created" at={install.created} isExact />],
          ]}
        />
      </More>
    </div>
  )
}

function PushBadge({ push }: Pick<ProfileInstall, 'push'>) {
  const { state } = push
  if (state === 'ready') return <Badge tone="good">{['push on', wayName(push)].filter(Boolean).join(', ')}</Badge>
  return state === 'retired' ? <Badge tone="warn">token refused</Badge> : <Badge>push off</Badge>
}

const SAYS: Readonly<Record<string, string>> = {
  off: 'Notifications of the app are turned off on this device.',
  retired: 'The gateway said that the push token is dead, usually because the app was deleted.',
  none: 'It has no push token: the app has not registered one.',
}
