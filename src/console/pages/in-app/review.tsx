import type { ApiError } from '../../api/errors.ts'
import { TargetWords } from '../../parts/target.tsx'
import { KeyValues } from '../../parts/values.tsx'
import { targetOf } from '../push/audience.ts'
import { CoverageOf } from '../push/personal/coverage.tsx'
import { isPersonal, whenMissingOf } from '../push/personal/rows.ts'
import { LastLook, leftOutRow } from '../push/review.tsx'
import { sendTo, whenInWords } from '../push/time.ts'
import { MessageFrame } from '../templates/frame.tsx'
import type { Estimate } from './answers.ts'
import { SHOWN_WHEN } from './draft.ts'
import { documentOf } from './readable-document.ts'
import { people, reasonOf, stayInWords } from './words.ts'
import type { Writing } from './written.tsx'

interface ReviewProps {
  writing: Writing
  estimate: Estimate
  send(confirm: number | undefined): Promise<void>
  refuse(error: ApiError): boolean
  onClose(): void
}

/** The last look at a message. */
export function Review({ writing, estimate, ...ways }: ReviewProps) {
  const { appId, form, answers, template } = writing
  const draft = form.values.value
  const { viewer, drawn, covered } = answers
  const document = documentOf(template.value.value, draft, drawn)
  const label = sendTo(draft, people(estimate.recipients))
  return (
    <LastLook title={`${label}?`} action={label} estimate={estimate} {...ways}>
      {document && (
        <div class="message-stage">
          <MessageFrame label="How the message looks" content={document} width={180} look="light" />
        </div>
      )}
      {viewer !== undefined && (
        <p class="quiet small-text">
          {document === null ? `${viewer.name} gets nothing.` : `As ${viewer.name} gets it.`}
        </p>
      )}
      {isPersonal(draft) && <CoverageOf estimate={covered} whenMissing={whenMissingOf(draft)} unit="person" />}
      <KeyValues
        items={[
          [
            'To',
            <TargetWords
              key="to"
              appId={appId}
              target={targetOf(draft) ?? {}}
              count={[estimate.recipients, 'people']}
              isPlain
            />,
          ],
          ['When', whenInWords(draft)],
          ['Push with it', draft.push === 'none' ? 'None' : (answers.pushed?.title ?? 'Yes')],
          ['Shown', SHOWN_WHEN[draft.presentedWhen as keyof typeof SHOWN_WHEN]],
          [
            'Stays for',
            draft.presentedWhen === 'never'
              ? undefined
              : stayInWords((draft.ttl ?? 0) * (draft.ttlUnit === 'h' ? 1 : 24)),
          ],
          ...leftOutRow(estimate.leftOut, reasonOf),
        ]}
      />
    </LastLook>
  )
}
