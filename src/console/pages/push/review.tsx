import type { ComponentChildren } from 'preact'
import { ApiError } from '../../api/errors.ts'
import type { Loaded } from '../../api/load.ts'
import { formatNumber } from '../../parts/numbers.ts'
import { ConfirmDialog } from '../../parts/overlays.tsx'
import { ORDER, PLATFORMS } from '../../parts/platforms.ts'
import { TargetWords } from '../../parts/target.tsx'
import { KeyValues } from '../../parts/values.tsx'
import { targetOf } from './audience.ts'
import type { Draft, Estimate } from './draft.ts'
import { CoverageOf } from './personal/coverage.tsx'
import { isPersonal, whenMissingOf } from './personal/rows.ts'
import { MockUp } from './preview.tsx'
import { type Payload, shownOf } from './shown.ts'
import { sendTo, whenInWords } from './time.ts'
import { devices, reasonOf, wrongOf } from './words.ts'

/** The last look at a send. */
interface LastLookProps {
  title: string
  /** Label of the button. */
  action: string
  estimate: { audience: number; recipients: number; confirmAbove: number | null }
  /** Everything that is repeated: how it looks, coverage, facts. */
  children: ComponentChildren
  /** Sends it; `confirm`: the number of recipients that was typed. */
  send(confirm: number | undefined): Promise<void>
  /** Takes what the server has to say of fields; true when it stands beside them, so that this can be closed. */
  refuse(error: ApiError): boolean
  onClose(): void
}

/** Repeats to how many it goes, what it says and when. Above the size that the app sets, the number must be typed. */
export function LastLook({ title, action, estimate, children, send, refuse, onClose }: LastLookProps) {
  const { audience, recipients, confirmAbove } = estimate
  const mustConfirm = confirmAbove !== null && audience > confirmAbove
  const run = async () => {
    try {
      await send(mustConfirm ? audience : undefined)
    } catch (error) {
      if (!(error instanceof ApiError) || Object.keys(error.fields).length === 0) throw error
      if (!refuse(error)) throw new Error(wrongOf(error), { cause: error })
    }
  }
  return (
    <ConfirmDialog
      title={title}
      action={action}
      tone="primary"
      {...(mustConfirm && { typed: String(recipients) })}
      run={run}
      onClose={onClose}
    >
      <div class="push-review">{children}</div>
    </ConfirmDialog>
  )
}

/** Recipients who are left out, as a row of facts; none where nobody is. */
export function leftOutRow<R extends string>(
  leftOut: readonly { reason: R; count: number }[],
  wordsOf: (reason: R) => string,
): (readonly [string, string])[] {
  const words = leftOut.map(({ reason, count }) => `${formatNumber(count)} ${wordsOf(reason)}`)
  return words.length === 0 ? [] : [['Left out', words.join('; ')]]
}

interface ReviewProps extends Pick<LastLookProps, 'send' | 'refuse' | 'onClose'> {
  appId: number
  draft: Draft
  estimate: Estimate
  /** The estimate with a sample of what people get. */
  covered: Loaded<Estimate>
  /** Name of the person as whom it is drawn; undefined where everybody gets the same. */
  viewer: string | undefined
  payloads: readonly Payload[]
  app: string
  /** A second person approves it: then it is asked for. */
  isAsked: boolean
}

/** The last look at a push. */
export function Review(props: ReviewProps) {
  const { appId, draft, estimate, covered, viewer, payloads, app, isAsked, ...ways } = props
  const { recipients, platforms, leftOut } = estimate
  const first = ORDER.find((name) => platforms.some(({ platform, configured }) => platform === name && configured))
  const action = sendTo(draft, devices(recipients))
  const payload = payloads.find(({ platform }) => platform === (first ?? 'ios'))
  return (
    <LastLook
      title={isAsked ? `Ask to send to ${devices(recipients)}?` : `${action}?`}
      action={isAsked ? 'Ask for approval' : action}
      estimate={estimate}
      {...ways}
    >
      {payload && (
        <MockUp platform={payload.platform} shown={shownOf(payload)} app={app} isDark={false} isOpen={false} />
      )}
      {payload && viewer !== undefined && <p class="quiet small-text">As {viewer} gets it.</p>}
      {isPersonal(draft) && <CoverageOf estimate={covered} whenMissing={whenMissingOf(draft)} />}
      <KeyValues
        items={[
          [
            'To',
            <TargetWords
              key="to"
              appId={appId}
              target={targetOf(draft) ?? {}}
              count={[recipients, 'devices']}
              isPlain
            />,
          ],
          [
            'On',
            platforms
              .map(({ platform, recipients: count }) => `${PLATFORMS[platform].name} ${formatNumber(count)}`)
              .join(', ') || 'Nobody',
          ],
          ['When', whenInWords(draft)],
          ...leftOutRow(leftOut, reasonOf),
        ]}
      />
      {isAsked && <p class="quiet">Somebody else has to approve it before it is sent.</p>}
    </LastLook>
  )
}
