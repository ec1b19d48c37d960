import { MonitorSmartphone } from 'lucide'
import { call } from '../../api/client.ts'
import { messageOf } from '../../api/errors.ts'
import { type Page, useList } from '../../api/load.ts'
import { Button } from '../../parts/button.tsx'
import { toast } from '../../parts/overlays.tsx'
import { Badge, Card } from '../../parts/surfaces.tsx'
import { ListTable } from '../../parts/table.tsx'
import { Time } from '../../parts/values.tsx'

interface OpenSession {
  id: number
  isCurrent: boolean
  address: string
  agent: string
  created: string
  seen: string
}

/** The sessions of the signed-in person, each with a button that ends it. */
export function Sessions() {
  const list = useList<OpenSession>(async (_, signal) => {
    const { items } = (await call('get', '/admin/v1/sessions', { signal })) as Pick<Page<OpenSession>, 'items'>
    return { items, next: null }
  }, [])
  const end = async (id: number) => {
    try {
      await call('delete', '/admin/v1/sessions/{id}', { path: { id } })
      list.reload()
      toast('Signed out there.')
    } catch (error) {
      toast(messageOf(error))
    }
  }
  return (
    <Card title="Where you are signed in" isFlush>
      <ListTable
        label="Sessions"
        list={list}
        keyOf={({ id }) => id}
        empty={{ icon: MonitorSmartphone, title: 'Nowhere' }}
        columns={[
          {
            title: 'Browser',
            cell: ({ agent, isCurrent }) => (
              <span class="row">
                {browserOf(agent)} {isCurrent && <Badge tone="accent">This one</Badge>}
              </span>
            ),
          },
          { title: 'IP address', cell: ({ address }) => <span class="mono">{address}</span> },
          { title: 'Last used', cell: ({ seen }) => <Time at={seen} />, isTight: true },
          {
            title: '',
            isTight: true,
            cell: ({ id, isCurrent }) =>
              isCurrent ? null : (
                <Button size="small" onClick={() => end(id)}>
                  Sign out
                </Button>
              ),
          },
        ]}
      />
    </Card>
  )
}

const BROWSERS = [
  [/\bEdg\//, 'Edge'],
  [/\bOPR\//, 'Opera'],
  [/\bFirefox\//, 'Firefox'],
  [/Chrome\//, 'Chrome'],
  [/\bSafari\//, 'Safari'],
] as const
const SYSTEMS = [
  [/\biPhone\b/, 'iPhone'],
  [/\biPad\b/, 'iPad'],
  [/\bAndroid\b/, 'Android'],
  [/\bWindows\b/, 'Windows'],
  [/\bMac OS X\b/, 'macOS'],
  [/\bLinux\b/, 'Linux'],
] as const

/** `Mozilla/5.0 (X11; Linux …) … Chrome/140 …` -> `Chrome on Linux` */
function browserOf(agent: string): string {
  const find = (known: readonly (readonly [RegExp, string])[]) => known.find(([pattern]) => pattern.test(agent))?.[1]
  const [browser, system] = [find(BROWSERS), find(SYSTEMS)]
  return [browser, system].filter(Boolean).join(' on ') || agent.slice(0, 60) || 'Unknown'
}
