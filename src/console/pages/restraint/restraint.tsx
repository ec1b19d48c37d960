import type { Answer } from '../../api/client.ts'
import { useGet } from '../../api/load.ts'
import { Reading } from '../../parts/reading.tsx'
import { Card, PageHead } from '../../parts/surfaces.tsx'
import { Tabs } from '../../parts/tabs.tsx'
import { KeyValues } from '../../parts/values.tsx'
import type { PageProps } from '../../state/page.ts'
import { may } from '../../state/session.ts'
import { Purposes } from './purposes.tsx'
import { RestraintForm } from './restraint-form.tsx'
import { Suppressions } from './suppressions.tsx'

const RESTRAINT = '/admin/v1/apps/{appId}/restraint'

/** The rules of an app for all of its sends: limits, purposes and the suppression list. */
export default function Restraint({ appId }: PageProps) {
  return (
    <div class="page">
      <PageHead
        title="Rules"
        about="For all sends of this app, whoever makes them. Reports count whom a rule left out, and why."
      />
      <Tabs
        label="Kinds of rules"
        items={[
          { name: 'limits', label: 'Limits', panel: () => <Limits appId={appId} /> },
          { name: 'purposes', label: 'Purposes', panel: () => <Purposes appId={appId} /> },
          { name: 'suppressions', label: 'Suppression list', panel: () => <Suppressions appId={appId} /> },
        ]}
      />
    </div>
  )
}

function Limits({ appId }: { appId: number }) {
  const rules = useGet(RESTRAINT, { path: { appId } })
  return (
    <div class="rules-limits stack">
      <Reading of={rules} lines={10}>
        {(now) => (
          <Card>
            {may('operate', appId) ? (
              <RestraintForm appId={appId} rules={now} onSaved={rules.set} />
            ) : (
              <Shown rules={now} />
            )}
          </Card>
        )}
      </Reading>
    </div>
  )
}

function Shown({ rules }: { rules: Answer<typeof RESTRAINT> }) {
  const { quietHours: quiet, frequencyCap: cap, confirmAbove, deviceChannels, languageAttribute } = rules
  const after = quiet?.then === undefined ? 'nobody gets a push' : 'pushes wait until they end'
  return (
    <KeyValues
      items={[
        ['Quiet hours', quiet === null ? 'None' : `${quiet.from} to ${quiet.to}: ${after}`],
        ['Frequency cap', cap === null ? 'None' : `${cap.count} pushes in ${cap.hours} hours`],
        ['Typed number', confirmAbove === null ? 'Never asked' : `Asked above ${confirmAbove} recipients`],
        ['Channels of devices', deviceChannels === 'public' ? 'Every device sees them' : 'Their subscribers see them'],
        ['Language attribute', languageAttribute ?? 'None: the language of the phone'],
      ]}
    />
  )
}
