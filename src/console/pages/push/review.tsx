import { ApiError } from '../../api/errors.ts'
import type { Loaded } from '../../api/load.ts'
import { ConfirmDialog } from '../../parts/overlays.tsx'
import { ORDER, PLATFORMS } from '../../parts/platforms.ts'
import { TargetWords } from '../../parts/target.tsx'
import { KeyValues } from '../../parts/values.tsx'
import { instantFrom, viewerZone } from '../../parts/zones.ts'
import { recurringOf } from '../series/rows.ts'
import { ruleInWords } from '../series/rule.ts'
import { type Draft, type Estimate, targetOf } from './draft.ts'
import { CoverageOf } from './personal/coverage.tsx'
import { isPersonal, whenMissingOf } from './personal/rows.ts'
import { MockUp } from './preview.tsx'
import { type Payload, shownOf } from './shown.ts'
import { devices, reasonOf, wrongOf } from './words.ts'

interface ReviewProps {
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
  send(confirm: number | undefined): Promise<void>
  /** Takes what the server has to say of fields; true when it stands beside them, so that this can be closed. */
  refuse(error: ApiError): boolean
  onClose(): void
}

/** Repeats to how many it goes, what it says and when. Above the size that the app sets, the number must be typed. */
export function Review(props: ReviewProps) {
  const { appId, draft, estimate, covered, viewer, payloads, app, isAsked, send, refuse, onClose } = props
  const { audience, recipients, platforms, leftOut, confirmAbove } = estimate
  const mustConfirm = confirmAbove !== null && audience > confirmAbove
  const first = ORDER.find((name) => platforms.some(({ platform, configured }) => platform === name && configured))
  const payload = payloads.find(({ platform }) => platform === (first ?? 'ios'))
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
      title={isAsked ? `Ask to send to ${devices(recipients)}?` : `Send to ${devices(recipients)}?`}
      action={isAsked ? 'Ask for approval' : `Send to ${devices(recipients)}`}
      tone="primary"
      {...(mustConfirm && { typed: String(recipients) })}
      run={run}
      onClose={onClose}
    >
      <div class="push-review">
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
                .map(({ platform, recipients: count }) => `${PLATFORMS[platform].name} ${count.toLocaleString()}`)
                .join(', ') || 'Nobody',
            ],
            ['When', whenOf(draft)],
            ...(leftOut.length > 0
              ? [
                  [
                    'Left out',
                    leftOut.map(({ reason, count }) => `${count.toLocaleString()} ${reasonOf(reason)}`).join('; '),
                  ] as const,
                ]
              : []),
          ]}
        />
        {isAsked && <p class="quiet">Somebody else has to approve it before it is sent.</p>}
      </div>
    </ConfirmDialog>
  )
}

/** The time of sending, in words. */
function whenOf(draft: Draft): string {
  const { when, at, local, pastTimes } = draft
  const day = (ms: number, timeZone: string) =>
    new Intl.DateTimeFormat(undefined, { dateStyle: 'full', timeStyle: 'short', timeZone }).format(ms)
  const rule = when === 'repeat' ? recurringOf(draft) : undefined
  if (rule) return `${ruleInWords(rule)}; each time to whoever is meant then`
  if (when === 'intelligent') return 'At the hour at which each person is usually active, within a day'
  if (when === 'at' && at !== null)
    return `${day(instantFrom(at).getTime(), viewerZone())} (${viewerZone().replaceAll('_', ' ')})`
  if (when === 'local' && local !== '') {
    const past = pastTimes === 'nextDay' ? 'where it has passed, the next day' : 'where it has passed, not at all'
    return `${day(Date.parse(`${local}Z`), 'UTC')} on the clock of each phone; ${past}`
  }
  return 'Now, with ten seconds to take it back'
}
