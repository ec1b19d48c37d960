import { Send } from 'lucide'
import { Button } from '../../parts/button.tsx'

interface GoesToProps {
  /** The recipients in words: "1,240 devices"; undefined while nobody is chosen. */
  count: string | undefined
  /** The recipients are being counted. */
  isCounting: boolean
  about: string
  action: string
  isBusy: boolean
  isOff: boolean
  review(): void
}

/** Number of recipients, and the button that leads to the last look. */
export function GoesTo({ count, isCounting, about, action, isBusy, isOff, review }: GoesToProps) {
  return (
    <div class="push-send">
      <div class="row spread">
        <div>
          <strong id="push-goes">
            {isCounting ? 'Counting …' : count === undefined ? 'Nobody is chosen yet' : `Goes to ${count}`}
          </strong>
          <p class="quiet small-text">{about}</p>
        </div>
        <Button tone="primary" icon={Send} isBusy={isBusy} isOff={isOff} describedBy="push-goes" onClick={review}>
          {action}
        </Button>
      </div>
    </div>
  )
}
