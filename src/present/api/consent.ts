import { CHOICE_SOURCES, type ChosenPurpose, type Purpose, type Suppression } from '../../domain/consent/types.ts'
import { isoOffset } from '../../platform/time/clock.ts'
import { answerOf, boolean, count, integer, list, nullable, object, oneOf, pageOf, string, time } from '../schema.ts'

export function presentPurpose({ uid, name, description, default: isDefault, required, ...times }: Purpose) {
  return {
    uid,
    name,
    description,
    default: isDefault,
    required,
    createdAt: isoOffset(times.createdAt),
    updatedAt: isoOffset(times.updatedAt),
  }
}

export function presentPurposes(purposes: readonly Purpose[]) {
  return { purposes: purposes.map(presentPurpose) }
}

/** A purpose and what a user chose; `choice` is null while the default decides. */
export function presentChosen({ purpose, allowed, choice }: ChosenPurpose) {
  const { uid, name, description, required } = purpose
  return {
    uid,
    name,
    description,
    required,
    allowed,
    choice: choice && { allowed: choice.allowed, at: isoOffset(choice.at), source: choice.source },
  }
}

export function presentAllChosen(chosen: readonly ChosenPurpose[]) {
  return { purposes: chosen.map(presentChosen) }
}

/** An entry whose identifier the caller gave; only its digest is stored. */
export function presentSuppression(identifier: string, { reason, at }: Suppression) {
  return { identifier, reason, at: isoOffset(at) }
}

/** An entry of the list, which does not say whom it means. */
export function presentListed({ id, digest, reason, at }: Suppression) {
  return { id, digest, reason, at: isoOffset(at) }
}

export const purpose = answerOf<typeof presentPurpose>('Purpose', {
  uid: string,
  name: string,
  description: nullable(string),
  default: boolean,
  required: boolean,
  createdAt: time,
  updatedAt: time,
})
export const purposes = answerOf<typeof presentPurposes>('Purposes', { purposes: list(purpose) })

const chosenPurpose = answerOf<typeof presentChosen>('ChosenPurpose', {
  uid: string,
  name: string,
  description: nullable(string),
  required: boolean,
  allowed: boolean,
  choice: nullable(object({ allowed: boolean, at: time, source: oneOf(CHOICE_SOURCES) }, 'Choice')),
})
export const chosenPurposes = answerOf<typeof presentAllChosen>('ChosenPurposes', { purposes: list(chosenPurpose) })

export const suppression = answerOf<typeof presentSuppression>('Suppression', {
  identifier: string,
  reason: nullable(string),
  at: time,
})
export const suppressionPage = pageOf(
  'suppressions',
  answerOf<typeof presentListed>('ListedSuppression', {
    id: integer,
    digest: string,
    reason: nullable(string),
    at: time,
  }),
)
export const suppressionsAdded = object({ added: count, known: count }, 'SuppressionsAdded')
