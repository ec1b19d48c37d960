import { of, type Words } from './types.ts'

export const DOCUMENT = {
  ver: 1,
  frame: {
    type: 'alert',
    nodes: [
      { type: 'heading', text: '{{Title}}' },
      { type: 'button', text: 'OK', actions: [{ type: 'closeMessage' }] },
    ],
  },
}
export const VALUES = { Title: 'Closed on Monday' }

/** Requests that hold what a message says. */
const SAYING = ['InAppMessageRequest', 'InAppEstimateRequest', 'TestInAppRequest']

/** In-app messages and their templates. */
export const IN_APP: Words = {
  schemas: {
    InAppMessageRequest: ['An in-app message to send.'],
    TestInAppRequest: ['What an in-app message says, and to the users of which test devices it goes.'],
    NewTemplate: ['A template to create.'],
    TemplateChange: ['What changes about a template.'],
    AnnouncementVariant: ['The texts of the push in one language. What is left out is taken from the push itself.'],
    InboxVariant: ['The texts of the inbox entry in one language. What is left out is taken from the entry itself.'],
    PreviewRequest: ['Values for a preview.'],
  },
  fields: {
    ...of(['NewTemplate', 'TemplateChange'], {
      'content.ver': ['Version of the format.', 1],
      'content.frame': ['The shape on the screen with what is in it.', DOCUMENT.frame],
      'content.defaults': ['Font, colour, direction and language for the whole document.', { dir: 'auto' }],
      tags: ['The dynamic tags of the document.'],
      'tags.title': ['Name of the tag: `{{Title}}` in the document.', 'Title'],
      'tags.type': ['What its values are.', 'text'],
      'tags.required': ['Whether a message must have a value for it, unless there is a default.', true],
      'tags.default': ['The value where a message has none.', 'Closed today'],
      version: ['Ignored, so that an exported template can be sent back.', 1],
      appId: ['Ignored, so that an exported template can be sent back.', 1],
      createdAt: ['Ignored, so that an exported template can be sent back.', '2026-03-01 12:00:00'],
      updatedAt: ['Ignored, so that an exported template can be sent back.', '2026-03-01 12:30:00'],
    }),
    'TestInAppRequest.devices': ['Numbers of test devices.', [3]],
    ...of(SAYING, {
      template: ['The `uid` of the template.', 'opening-hours'],
      content: ['Values of the dynamic tags, by title. Required if the template requires one.', VALUES],
      notification: ['A push that announces the message to those who get it.'],
      'notification.template': [
        'The `uid` of a push template. Title, message and all the rest come from it; what `notification` says itself wins.',
        'order-shipped',
      ],
      inbox: ['The entry in the inbox of the app; without one, the message is not in the inbox.'],
      'inbox.subtitle': ['Second line.', 'What changes this week'],
      'inbox.from': ['When the entry appears, ISO 8601.', '2026-03-01T12:00:00Z'],
      'inbox.to': ['When the entry disappears, ISO 8601.', '2026-03-08T12:00:00Z'],
      personalize: [
        "Present: texts are template texts, such as `{{ user.attributes.firstName | default: 'Hello' }}`: the values of dynamic tags, the linked push, the inbox entry and the texts in `data`.",
        {},
      ],
      'personalize.missing': [
        'What becomes of a user for whom a value is missing: they get nothing (`skip`), or nothing is printed in its place (`empty`).',
        'skip',
      ],
      lookup: ['Records of data tables by name; texts show them as `{{ lookup.NAME.field }}`.'],
      languages: [
        'Values of dynamic tags by BCP 47 language tag, then by title. What a variant leaves out is taken from `content`.',
        { de: { Title: 'Montag geschlossen' } },
      ],
      'notification.languages': [
        'The texts of the push by BCP 47 language tag.',
        { de: { title: 'Neues', message: 'Wir haben Montag geschlossen' } },
      ],
      'inbox.languages': [
        'The texts of the entry by BCP 47 language tag, which must also be one of `languages`.',
        { de: { title: 'Montag geschlossen' } },
      ],
    }),
    'PreviewRequest.content': ['Values of the dynamic tags, by title. Absent: the `sample` of the template.', VALUES],
    'InAppMessageRequest.presentedWhen': [
      'When a device shows it by itself: at once, when the app is next opened, or never (inbox only).',
      'next-open',
    ],
    'InAppMessageRequest.ttl': ['How long a user can see it. Required unless `presentedWhen` is `never`.'],
    'InAppMessageRequest.ttl.expiresIn': ['Number of `units`.', 7],
    'InAppMessageRequest.ttl.units': ['Days or hours.', 'd'],
    'AnnouncementVariant.title': ['Title.', 'Neues'],
    'AnnouncementVariant.message': ['Text.', 'Wir haben Montag geschlossen'],
    'AnnouncementVariant.pictureUrl': ['Picture, on both platforms.', 'https://bakery.example/de/brot.png'],
    'InboxVariant.title': ['Title.', 'Montag geschlossen'],
    'InboxVariant.subtitle': ['Second line.', 'Ab Dienstag wieder da'],
    'InboxVariant.imageUrl': ['Address of a picture.', 'https://bakery.example/de/brot.png'],
    'NewTemplate.uid': ['What callers call the template; unique in the app.', 'opening-hours'],
    'TemplateChange.uid': [
      'The `uid` that the template has, so that an exported template can be sent back. Another one is refused.',
      'opening-hours',
    ],
    'NewTemplate.name': ['Name for people. Without it, the name of the starter, or the `uid`.', 'Opening hours'],
    'TemplateChange.name': ['New name for people.', 'Opening hours'],
    'NewTemplate.content': ['The document.'],
    'TemplateChange.content': ['The new document.'],
    'NewTemplate.sample': ['Values for a preview, by title of the tag.', VALUES],
    'TemplateChange.sample': [
      'Values for a preview, by title of the tag. Absent: the values whose tags still take them stay.',
      VALUES,
    ],
    'NewTemplate.starter': ['The starter to copy, instead of `content`.', 'rating'],
  },
  parameters: {
    'path.uid': ['The `uid` of the template.', 'opening-hours'],
    'path.version': ['Number of the version, from 1.', 2],
  },
}
