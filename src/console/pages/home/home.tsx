import { call } from '../../api/client.ts'
import { useLoad } from '../../api/load.ts'
import { Card, Failed, PageHead, Skeleton } from '../../parts/surfaces.tsx'
import { KeyValues, Time } from '../../parts/values.tsx'
import type { PageProps } from '../../shell/page.ts'

/** The home of an app. */
export default function Home({ appId }: PageProps) {
  const app = useLoad(
    (signal) =>
      call('get', '/admin/v1/apps/{appId}', { path: { appId }, signal }) as Promise<{ name: string; created: string }>,
    [appId],
  )
  const now = app.value.value
  return (
    <div class="page">
      <PageHead title={now?.name ?? 'Home'} />
      <Card title="This app">
        {app.error.value !== undefined ? (
          <Failed error={app.error.value} retry={app.reload} />
        ) : now === undefined ? (
          <Skeleton />
        ) : (
          <KeyValues
            items={[
              ['Name', now.name],
              ['Made', <Time key="made" at={now.created} />],
            ]}
          />
        )}
      </Card>
    </div>
  )
}
