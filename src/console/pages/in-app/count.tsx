import { type Answer, api } from '../../api/client.ts'
import { type Loaded, useLoad } from '../../api/load.ts'
import { Reach } from '../../parts/reach.tsx'
import { usePaused } from '../../parts/use-paused.ts'
import { type Fields, isAimed, requestOf } from './request.ts'

export type Estimate = Answer<'/admin/v1/apps/{appId}/in-app-messages/estimate', 'post'>

/** A pause in typing after which the server is asked. */
const PAUSE_MS = 350

const REASONS: Record<Estimate['leftOut'][number]['reason'], string> = {
  unknown_install: 'named as an install, but no device has this id',
  unsubscribed_install: 'named as an install whose user has in-app messages turned off',
  unknown_user: 'named as a user whom this app does not know',
  unsubscribed_user: 'named as a user who has in-app messages turned off',
  excluded: 'left out by you',
  not_wanted: 'who do not want messages of this purpose',
  on_suppression_list: 'on the suppression list',
}

/** Counts the people whom the message is for whenever that rests for a moment; nothing is asked while nobody is chosen. */
export function useEstimate(appId: number, fields: Fields): Loaded<Estimate> {
  const { target, priority } = requestOf(fields)
  const asked = usePaused(isAimed(fields) ? JSON.stringify({ target, priority }) : '', PAUSE_MS)
  return useLoad(
    asked === ''
      ? null
      : (signal) =>
          api.post('/admin/v1/apps/{appId}/in-app-messages/estimate', {
            path: { appId },
            body: JSON.parse(asked) as never,
            signal,
          }),
    [appId, asked],
  )
}

/** Counts the people who get the message now and those left out, with reasons and a sample. */
export function People({ estimate }: { estimate: Loaded<Estimate> }) {
  return (
    <Reach
      estimate={estimate}
      one="person gets it"
      many="people get it"
      reasonOf={(reason) => REASONS[reason]}
      notes={({ recipients, leftOut }) =>
        recipients === 0 &&
        leftOut.length === 0 && (
          <p class="field-hint">
            Only people who agreed to in-app messages get them: the app asks them through its SDK.
          </p>
        )
      }
      sampleOf={({ sample }) => sample.map((identifier) => <li key={identifier}>{identifier}</li>)}
    />
  )
}
