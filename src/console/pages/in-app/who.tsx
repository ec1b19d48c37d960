import type { Loaded } from '../../api/load.ts'
import { Reach } from '../../parts/reach.tsx'
import { Audience } from '../push/who.tsx'
import type { Estimate } from './answers.ts'
import { type ComposeForm, WHO } from './draft.ts'
import { reasonOf } from './words.ts'

/** The first card: whom it is for. */
export function Who({ appId, form, estimate }: { appId: number; form: ComposeForm; estimate: Loaded<Estimate> }) {
  return (
    <Audience
      appId={appId}
      form={form}
      rows={WHO}
      about="An in-app message goes to people. Nobody is chosen until you choose."
      counted={<Counted estimate={estimate} />}
    />
  )
}

/** Counts the people who get the message now and those left out, with reasons and a sample. */
function Counted({ estimate }: { estimate: Loaded<Estimate> }) {
  return (
    <Reach
      estimate={estimate}
      one="person gets it"
      many="people get it"
      reasonOf={reasonOf}
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
