/** The kinds of sends that carry labels. */
export type Labelled = 'push' | 'in-app'

/** The most labels of one send. */
export const MOST_LABELS = 5
/** The longest label, in code points. */
export const MOST_CHARACTERS = 40

/** A send as the index of labels knows it. */
export interface LabelledSend {
  id: number
  createdAt: number
}

/** Sums of the pushes that carry a label. Tests are not among them. */
export interface PushSums {
  sends: number
  accepted: number
  opened: number
}

/** Sums of the in-app messages that carry a label. */
export interface MessageSums {
  sends: number
  recipients: number
  shown: number
}

/** The sums of one label over a period. */
export interface LabelSums {
  label: string
  pushes: PushSums
  messages: MessageSums
  /** False when the label has so many sends in the period that the older ones are not in the sums. */
  isWhole: boolean
}

/** A period by the time at which sends were created (ms); `before` is not in it. */
export interface LabelPeriod {
  since: number
  before: number
}
