import { of, type Words } from './types.ts'

/** The bodies that say what a push says without sending it; src/server/openapi/words/admin-compose.ts has their common fields. */
export const PUSH_TEMPLATE_BODIES = ['NewPushTemplate', 'PushTemplateChange', 'PushTemplateOverride']

const UID = 'order-shipped'

/** Stored content of pushes. */
export const PUSH_TEMPLATES: Words = {
  schemas: {
    NewPushTemplate: ['A push template to create.'],
    PushTemplateChange: ['What changes about a push template.'],
    PushTemplateOverride: ['What a send says itself, beside the push template that it names.'],
  },
  fields: {
    ...of(['NewPushTemplate', 'PushTemplateChange'], {
      version: ['Ignored, so that an exported push template can be sent back.', 1],
      appId: ['Ignored, so that an exported push template can be sent back.', 1],
      createdAt: ['Ignored, so that an exported push template can be sent back.', '2026-03-01 12:00:00'],
      updatedAt: ['Ignored, so that an exported push template can be sent back.', '2026-03-01 12:30:00'],
    }),
    ...of(['NotificationRequest', 'PushNotificationRequest', 'SayingRequest', 'TestPushRequest'], {
      'content.template': [
        'The `uid` of a push template. Title, message and all the rest come from it; a key that the send has itself wins.',
        UID,
      ],
    }),
    'FlatNotificationRequest.template': [
      'The `uid` of a push template. Title, message and all the rest come from it; a key that the send has itself wins.',
      UID,
    ],
    'NewPushTemplate.uid': ['What callers call the push template; unique in the app. Generated if absent.', UID],
    'PushTemplateChange.uid': [
      'The `uid` that the push template has, so that an exported one can be sent back. Another one is refused.',
      UID,
    ],
    'NewPushTemplate.name': ['Name for people. Without it, the `uid`.', 'Order shipped'],
    'PushTemplateChange.name': ['New name for people.', 'Order shipped'],
  },
  parameters: {
    '/v1/push-templates/:uid.path.uid': ['The `uid` of the push template.', UID],
    '/v1/push-templates/:uid/versions.path.uid': ['The `uid` of the push template.', UID],
    '/v1/push-templates/:uid/versions/:version.path.uid': ['The `uid` of the push template.', UID],
    '/v1/push-templates/:uid/preview.path.uid': ['The `uid` of the push template.', UID],
  },
}
