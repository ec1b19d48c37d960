import { useGet } from '../../api/load.ts'
import { Button } from '../../parts/button.tsx'
import { AsCommand } from '../../parts/code.tsx'
import { Badge, Failed, PageHead, Skeleton } from '../../parts/surfaces.tsx'
import { Tabs } from '../../parts/tabs.tsx'
import { Time } from '../../parts/values.tsx'
import { LogTail } from './log-tail.tsx'
import { Overview } from './overview.tsx'
import { Settings } from './settings.tsx'

/** The state of the server, for the people who operate it. */
export default function HealthPage() {
  const health = useGet('/admin/v1/health')
  const now = health.value.value
  const errors = now?.findings.filter(({ level }) => level === 'error').length ?? 0
  const warnings = now?.findings.filter(({ level }) => level === 'warning').length ?? 0
  return (
    <div class="page wide">
      <PageHead
        title="Health"
        about={
          now && (
            <span class="row">
              <Verdict errors={errors} warnings={warnings} />
              <span class="quiet">
                Looked at <Time at={now.asOf} />
              </span>
            </span>
          )
        }
        actions={<Button onClick={health.reload}>Refresh</Button>}
      />
      <Tabs
        label="Health"
        items={[
          {
            name: 'overview',
            label: 'Overview',
            panel: () =>
              health.error.value !== undefined ? (
                <Failed error={health.error.value} retry={health.reload} />
              ) : now === undefined ? (
                <Skeleton lines={6} />
              ) : (
                <Overview health={now} reload={health.reload} />
              ),
          },
          { name: 'log', label: 'Log', panel: () => <LogTail /> },
          { name: 'settings', label: 'Settings', panel: () => <Settings /> },
        ]}
      />
      <AsCommand command="appsvc doctor" call={{ method: 'GET', path: '/admin/v1/health' }} />
    </div>
  )
}

function Verdict({ errors, warnings }: { errors: number; warnings: number }) {
  if (errors > 0)
    return <Badge tone="bad">{errors === 1 ? '1 thing does not work' : `${errors} things do not work`}</Badge>
  if (warnings > 0)
    return <Badge tone="warn">{warnings === 1 ? '1 thing to look at' : `${warnings} things to look at`}</Badge>
  return <Badge tone="good">All is well</Badge>
}
