import { platforms } from '../../domain/gateways/registry.ts'
import type { PersonalPreview, RenderedPush } from '../../domain/notifications/accept/personal-preview.ts'
import type { Coverage } from '../../domain/notifications/personal/coverage.ts'
import type { ReadersCoverage } from '../../domain/personalization/people/coverage.ts'
import type { DefaultTaken } from '../../domain/personalization/types.ts'
import { answer, count, free, list, nullable, object, oneOf, optional, string, told, type Words } from '../schema.ts'
import { BY_PLATFORM, MESSAGE, OF_INSTALL, OF_USER, PLATFORM, TITLE } from '../words.ts'

const EXPRESSION: Words = ['The expression as it is written.', "user.attributes.firstName | default: 'Good news'"]
const BYTES: Words = ['Size as the vendor counts it.', 180]
const LIMIT: Words = ['The limit of the vendor in bytes.', 4096]
const VARIANT = 'The tag of the language variant, or `default`; null for a content in one language.'

/** Request to a gateway, with its size. */
export const gatewayRequest = object(
  'GatewayRequest',
  'A request to a gateway.',
  {
    headers: told(free, 'Headers that depend on the notification.', {}),
    payload: told({}, 'The payload.', {}),
    bytes: told(count, BYTES),
    limit: told(count, LIMIT),
  },
  { headers: {}, payload: {}, bytes: 180, limit: 4096 },
)

/** `defaults` of what a person gets. */
export const takenDefaults = list(
  answer<DefaultTaken>()('TakenDefault', 'An expression in which a default stands.', {
    expression: told(string, EXPRESSION),
    text: told(string, 'What it prints.', 'Good news'),
  }),
)

/** A push as one person gets it. */
const renderedPush = answer<RenderedPush>()('RenderedPush', 'The push as one person gets it.', {
  userId: told(
    nullable(string),
    'The user as whom it was rendered. Null when only a language was asked for: template texts are then as they are written.',
    'anna',
  ),
  installId: told(
    nullable(string),
    `The install, where one was asked for. A user counts as the install that was active last. ${OF_INSTALL[0]}`,
    null,
  ),
  language: told(nullable(string), VARIANT, 'de'),
  leftOut: told(
    nullable(oneOf(['missing_value', 'too_large'])),
    'Why the person gets nothing; null when they get it. `missing_value`: `personalize.missing` is `skip` and a value is missing, or title or message end blank.',
    null,
  ),
  missing: told(list(string), 'Expressions without a value for the person, as they are written.', []),
  defaults: told(takenDefaults, 'Expressions in which a default stands for the person.'),
  title: told(nullable(string), 'The title; null when the person gets nothing.', 'Good morning, Anna'),
  message: told(nullable(string), 'The message; null when the person gets nothing.', 'Rye today.'),
  gateways: told(
    list(
      object('RenderedRequest', 'What a gateway would be sent for the person.', {
        platform: told(oneOf(platforms), PLATFORM),
        request: told(gatewayRequest, 'The request, without address and credential.'),
      }),
    ),
    `${BY_PLATFORM[0]} Empty when the person gets nothing.`,
    [],
  ),
})

/** Members of every coverage. */
const coverageMembers = {
  sampled: told(count, 'Recipients of the sample, each drawn with the same chance from all that were counted.', 1000),
  expressions: told(
    list(
      object('CoveredExpression', 'An expression of the texts, and how many have a value for it.', {
        expression: told(string, EXPRESSION),
        path: told(
          nullable(string),
          'The value that it begins with; null when it begins with a literal.',
          'user.attributes.firstName',
        ),
        missing: told(count, 'How many have no value for it, a default included.', 0),
        defaults: told(count, 'For how many a `default` stands in it.', 26),
        defaultText: told(
          nullable(string),
          'What it prints for them; null where that differs, or `defaults` is 0.',
          'Good news',
        ),
      }),
    ),
    'Every expression of the texts in all languages. One in a branch counts only for those who take the branch.',
  ),
  skipped: told(count, 'How many get nothing because a value is missing.', 0),
  languages: optional(
    told(
      list(
        object('SampledLanguage', 'A language, and how many get it.', {
          language: told(string, 'The tag of the variant, or `default`.', 'de'),
          count: told(count, 'How many of the sample.', 640),
        }),
      ),
      'Which of the sample get which language, the most frequent one first; absent for a content in one language.',
    ),
  ),
  examples: told(
    list(
      object('CoverageExample', 'What one of the sample would get.', {
        userId: told(nullable(string), `${OF_USER[0]} Null for one that is gone.`, 'anna'),
        language: told(nullable(string), VARIANT, 'de'),
        title: told(string, TITLE),
        message: told(string, MESSAGE),
      }),
    ),
    'What up to ten of them would get.',
  ),
}

/** The results for a sample of the audience of a push. */
const coverage = answer<Coverage>()('Coverage', 'What a sample of the audience would get. Counts are of installs.', {
  ...coverageMembers,
  tooLarge: told(count, 'How many get nothing because their push would be too large for the gateway.', 0),
  longest: told(
    nullable(
      object('LongestRequest', 'The request that is nearest to the limit of its gateway.', {
        platform: told(oneOf(platforms), PLATFORM),
        bytes: told(count, BYTES, 412),
        limit: told(count, LIMIT),
      }),
    ),
    'The request that is nearest to the limit of its gateway; null when nobody gets anything.',
  ),
})

/** The same of an in-app message. */
export const inAppCoverage = answer<ReadersCoverage>()(
  'InAppCoverage',
  'What a sample of the audience would get. Counts are of users; `title` and `message` are the first words of the document.',
  {
    ...coverageMembers,
    tooLarge: told(count, 'How many get nothing because what they would get is too large.', 0),
  },
)
export const inAppPersonalization = optional(
  told(
    inAppCoverage,
    'What a sample of the audience would get; present when one was taken of a message that differs between users.',
    ({ coverage: found }: { coverage?: ReadersCoverage }) => found,
  ),
)

/** Members of every preview of a content that may differ between recipients. */
export const personalMembers = {
  rendered: optional(
    told(
      renderedPush,
      'The push as the person gets it; present when the query names a person or a language.',
      ({ rendered }: PersonalPreview) => rendered,
    ),
  ),
  warnings: optional(
    told(
      list(string),
      'What the author may not have meant, in sentences. Present when there is something to say, and with every personalised content.',
      [],
      ({ warnings }: PersonalPreview) => warnings,
    ),
  ),
  personalization: optional(
    told(
      coverage,
      'What a sample of the audience would get; present when one was taken.',
      ({ coverage: found }: PersonalPreview) => found,
    ),
  ),
}

const personal = answer<PersonalPreview>()('PersonalPreview', 'What differs between recipients.', personalMembers)
export const presentPersonal = personal.present
