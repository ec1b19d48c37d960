import type { FormState } from '../../parts/form.tsx'
import type { Draft } from './draft.ts'

/** The form of a push. */
export type Compose = FormState<Draft>
