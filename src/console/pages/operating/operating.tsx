import { useGet } from '../../api/load.ts'
import { Button } from '../../parts/button.tsx'
import { AsCommand } from '../../parts/code.tsx'
import { command } from '../../parts/shell-words.ts'
import { Failed, PageHead, Skeleton } from '../../parts/surfaces.tsx'
import { href, query } from '../../state/router.ts'
import { FindingNote } from '../health/finding.tsx'
import { Backups } from './backups.tsx'
import { Charts } from './charts.tsx'
import { loadPeriodOf } from './course.ts'

/** Findings about what this page shows, by the check that made them. */
const CHECKS: ReadonlySet<string> = new Set(['load', 'disk', 'backups', 'oldest-due', 'server', 'wal', 'transactions'])

/** The load of the server over time, alarms about it, and its backups. */
export default function OperatingPage() {
  const health = useGet('/admin/v1/health')
  const now = health.value.value
  const alarms = (now?.findings ?? [])
    .filter(({ check, level }) => CHECKS.has(check) && (level === 'warning' || level === 'error'))
    .toSorted((a, b) => Number(b.level === 'error') - Number(a.level === 'error'))
  const period = loadPeriodOf(query.value.get('period'))
  return (
    <div class="page wide">
      <PageHead
        title="Operating"
        about="Load, alarms and backups of the whole server."
        actions={<Button href={href('/health')}>All checks</Button>}
      />
      <div class="stack loose">
        {alarms.map((finding) => (
          <FindingNote key={`${finding.check} ${finding.sentence}`} {...finding} />
        ))}
        <Charts />
        {health.error.value !== undefined ? (
          <Failed error={health.error.value} retry={health.reload} />
        ) : now === undefined ? (
          <Skeleton lines={4} />
        ) : (
          <Backups health={health} />
        )}
      </div>
      <AsCommand
        command={command`load --period ${period}`}
        call={{ method: 'GET', path: `/admin/v1/load?period=${period}` }}
      />
    </div>
  )
}
