import type { Answer } from '../../api/client.ts'
import { Note } from '../../parts/surfaces.tsx'
import { Copyable } from '../../parts/values.tsx'

type Finding = Answer<'/admin/v1/health'>['findings'][number]

export const TONES = { error: 'bad', warning: 'warn', info: 'info', ok: 'good' } as const

/** A finding of the doctor with its remedy. */
export function FindingNote({ level, sentence, remedy }: Finding) {
  return (
    <Note tone={TONES[level]} title={sentenceCase(sentence)}>
      {remedy !== null && (
        <p>
          What to do: <Copyable text={remedy} />
        </p>
      )}
    </Note>
  )
}

const sentenceCase = (text: string) => text.charAt(0).toUpperCase() + text.slice(1)
