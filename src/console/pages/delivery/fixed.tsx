import { Button } from '../../parts/button.tsx'
import { Note } from '../../parts/surfaces.tsx'
import { href } from '../../state/router.ts'
import type { Report } from './words.ts'

type Owned = Pick<Report, 'seriesId' | 'inAppMessageId'>

/** Tells whether a push belongs to something else, with which it is changed: nobody edits it by itself. */
export const isFixed = ({ seriesId, inAppMessageId }: Owned): boolean => (seriesId ?? inAppMessageId) !== undefined

/** Note of the reason why a scheduled push cannot be edited, with a button to what can. Nothing for one that can. */
export function Fixed({ appId, report: { seriesId, inAppMessageId } }: { appId: number; report: Owned }) {
  if (inAppMessageId !== undefined)
    return (
      <Note
        title="It announces an in-app message and is not edited by itself."
        actions={
          <Button size="small" href={href(`/apps/${appId}/in-app/${inAppMessageId}`)}>
            Look at the message
          </Button>
        }
      >
        It goes out with the message. To change it, edit the message.
      </Note>
    )
  if (seriesId === undefined) return null
  return (
    <Note
      title="It is one time of a series and is not edited by itself."
      actions={
        <Button size="small" href={href(`/apps/${appId}/series/${seriesId}/change`)}>
          Edit the series
        </Button>
      }
    >
      A change of the series counts from its next time on. This one time can be cancelled.
    </Note>
  )
}
