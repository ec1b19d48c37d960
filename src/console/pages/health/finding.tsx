import type { Answer } from '../../api/client.ts'
import { Note } from '../../parts/surfaces.tsx'
import { Copyable } from '../../parts/values.tsx'
import { sentence as asSentence } from '../delivery/words.ts'
import { isTyped } from './remedy.ts'

type Finding = Answer<'/admin/v1/health'>['findings'][number]

export const TONES = { error: 'bad', warning: 'warn', info: 'info', ok: 'good' } as const

/** A finding of the doctor with its remedy. */
export function FindingNote({ level, sentence, remedy }: Finding) {
  return (
    <Note tone={TONES[level]} title={asSentence(sentence)}>
      {remedy !== null && <p>What to do: {isTyped(remedy) ? <Copyable text={remedy} /> : remedy}</p>}
    </Note>
  )
}
