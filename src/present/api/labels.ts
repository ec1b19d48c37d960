import type { labelsService } from '../../domain/labels/service.ts'
import type { LabelSums, MessageSums, PushSums } from '../../domain/labels/types.ts'
import {
  answer,
  boolean,
  count,
  list,
  NEXT,
  nullable,
  object,
  optional,
  pageOf,
  string,
  told,
  type Words,
} from '../schema.ts'
import { USERS_SHOWN, USERS_WITH_IT } from '../words.ts'

const SENDS = 'How many were created in the period.'
export const LABELS: Words = ['Short words by which lists and reports find it; absent without one.', ['autumn-2026']]

/** Member of a notification and of an in-app message. */
export const labelsOfSend = {
  labels: optional(told(list(string), LABELS, ({ labels }: { labels: string[] | null }) => labels ?? undefined)),
}

const pushes = answer<PushSums>()('LabelledPushes', 'What became of the pushes that carry a label.', {
  sends: told(count, SENDS, 4),
  accepted: told(count, 'Recipients accepted by the gateways.', 1204),
  opened: told(count, 'Recipients who opened one.', 310),
})

const messages = answer<MessageSums>()('LabelledMessages', 'What became of the in-app messages that carry a label.', {
  sends: told(count, SENDS, 1),
  recipients: told(count, USERS_WITH_IT),
  shown: told(count, USERS_SHOWN),
})

const sums = answer<LabelSums>()('LabelSums', 'What became of the sends that carry a label.', {
  label: told(string, 'The label.', 'autumn-2026'),
  pushes: told(pushes, 'Pushes, tests apart.'),
  messages: told(messages, 'In-app messages, tests apart.'),
  isWhole: told(
    boolean,
    'False when there are more than 500 pushes or 500 messages in the period: the newest ones are added up.',
    true,
  ),
})

export const labelReport = pageOf(
  'labels',
  'One page of labels with their sums.',
  'The labels of this page.',
  sums,
  string,
)

type Report = Awaited<ReturnType<ReturnType<typeof labelsService>['report']>>

/** A page of sums as it is answered. */
export const presentLabelReport = ({ rows, next }: Report) => ({ labels: rows.map(sums.present), next })

export const labelPage = object('LabelPage', 'One page of labels in use.', {
  labels: told(list(string), 'Labels that some send carries.', ['autumn-2026']),
  next: told(nullable(string), NEXT, 'autumn-2026'),
})
