import { RefreshCw } from 'lucide'
import { IconButton } from '../../parts/button.tsx'
import { Time } from '../../parts/values.tsx'
import { sizeText } from './size-text.ts'
import type { Segment, Sizes } from './sizes.ts'

interface SizeProps {
  segment: Segment
  sizes: Sizes
  canCount: boolean
}

/** The size of a segment when it was last counted, the time of that, and a button that counts it again. */
export function Size({ segment, sizes, canCount }: SizeProps) {
  const { id, name } = segment
  const size = sizes.of(segment)
  const isCounting = sizes.isCounting(id)
  return (
    <span class="segment-size">
      <span class="segment-size-words" role="status">
        {size ? (
          <>
            <span class={`number ${isCounting ? 'quiet' : ''}`}>{sizeText(size)}</span>
            <span class="quiet small-text">{isCounting ? 'counting …' : <Time at={size.countedAt} />}</span>
          </>
        ) : (
          <span class="quiet">
            {isCounting ? 'counting …' : sizes.hasFailed(id) ? 'could not be counted' : 'not counted'}
          </span>
        )}
      </span>
      {canCount && (
        <IconButton
          icon={RefreshCw}
          size="small"
          label={`Count ${name} ${size ? 'again' : ''}`.trim()}
          onClick={() => sizes.count(id)}
        />
      )}
    </span>
  )
}
