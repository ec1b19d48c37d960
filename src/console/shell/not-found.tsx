import { Compass, Lock } from 'lucide'
import { Button } from '../parts/button.tsx'
import { Card, Empty, PageHead } from '../parts/surfaces.tsx'
import { href } from '../state/router.ts'

/** An address that leads nowhere. */
export function NotFound() {
  return (
    <div class="page narrow">
      <PageHead title="Page not found" />
      <Card>
        <Empty
          icon={Compass}
          title="There is nothing at this address"
          action={
            <>
              <Button onClick={() => history.back()}>Go back</Button>
              <Button tone="primary" href={href('/')}>
                Go to the start
              </Button>
            </>
          }
        >
          It may have been deleted, or you have no role in its app. Check the address, or ask an owner.
        </Empty>
      </Card>
    </div>
  )
}

/** A page that the person's role does not open. */
export function NotAllowed() {
  return (
    <div class="page narrow">
      <PageHead title="Not for your role" />
      <Card>
        <Empty
          icon={Lock}
          title="Your role does not open this page"
          action={<Button href={href('/')}>Go to the start</Button>}
        >
          An owner of this server can give you another role, under People.
        </Empty>
      </Card>
    </div>
  )
}
