import { AppWindow, Plus } from 'lucide'
import { useEffect } from 'preact/hooks'
import { Button } from '../../parts/button.tsx'
import { Card, Empty, PageHead } from '../../parts/surfaces.tsx'
import { href, navigate } from '../../state/router.ts'
import { currentApp, may } from '../../state/session.ts'

/** The start leads to the app that was open last; without any app it leads to the first one. */
export default function Start() {
  const app = currentApp.value
  useEffect(() => {
    if (app) navigate(`/apps/${app.id}`, { replace: true })
  }, [app?.id])
  if (app) return null
  return (
    <div class="page narrow">
      <PageHead title="Welcome to appsvc" about="From here you reach the people who use your app." />
      <Card>
        <Empty
          icon={AppWindow}
          title="There is no app yet"
          action={
            may('own') && (
              <Button tone="primary" icon={Plus} href={href('/new-app')}>
                Create the first app
              </Button>
            )
          }
        >
          {may('own')
            ? 'An app holds users, gateways and messages. Its phones and browsers find it by its keys.'
            : 'You have no role in any app. Ask an owner of this server.'}
        </Empty>
      </Card>
    </div>
  )
}
