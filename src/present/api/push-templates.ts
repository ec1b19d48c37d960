import type { PushTemplateBody } from '../../domain/notifications/request/request.ts'
import type {
  PushTemplate,
  PushTemplatePreview,
  PushTemplateVersion,
  WholePushTemplate,
} from '../../domain/push-templates/types.ts'
import {
  answer,
  free,
  integer,
  list,
  optional,
  pageOf,
  plainTime,
  string,
  told,
  type Words,
  within,
} from '../schema.ts'
import { APP_ID, CREATED_AT, GEOFENCE_NAME, ITS_BUTTONS, UPDATED_AT } from '../words.ts'
import { payload } from './notifications.ts'

const PUSH_TEMPLATE_UID: Words = ['What callers call the push template; unique in the app.', 'order-shipped']
const PUSH_TEMPLATE_VERSION: Words = ['Number of the version of the push template, from 1.', 2]

const CONTENT = { title: 'It is on its way', message: 'We have sent your order.' }

const body = {
  content: told(
    free,
    'What a push says: title and message, with `url`, `data` and `languages` where it has them.',
    CONTENT,
  ),
  personalize: optional(told(free, 'Present when its texts are template texts.', { missing: 'skip' })),
  lookup: optional(
    told(free, 'Rows of data tables that its texts use, by name.', {
      product: { table: '1_products', by: 'sku', value: '{{ meta.sku }}' },
    }),
  ),
  ios: optional(told(free, 'How it looks on iOS, as in the body of a send.', { subtitle: 'Your order' })),
  android: optional(told(free, 'How it looks on Android, as in the body of a send.', { channelId: 'orders' })),
  buttons: optional(told(list(free), ITS_BUTTONS, [{ id: 'track', text: 'Track it' }])),
}
const saying = within(({ body }: { body: PushTemplateBody }) => body, body)

/** A push template in a list, without what it holds. */
const pushTemplateLine = answer<PushTemplate>()('PushTemplateLine', 'A push template without its content.', {
  appId: told(integer, APP_ID),
  uid: told(string, PUSH_TEMPLATE_UID),
  name: told(string, GEOFENCE_NAME, 'Order shipped'),
  version: told(integer, PUSH_TEMPLATE_VERSION),
  createdAt: told(plainTime, CREATED_AT, '2026-03-01 12:00:00'),
  updatedAt: told(plainTime, UPDATED_AT, '2026-03-01 12:30:00'),
})
export const presentPushTemplateLine = pushTemplateLine.present
export const pushTemplatePage = pageOf(
  'pushTemplates',
  'One page of push templates.',
  'The push templates of this page.',
  pushTemplateLine,
)

/** A push template with its newest version; without times and version it is a file that makes another like it. */
export const pushTemplate = answer<WholePushTemplate>()('PushTemplate', 'A push template with its newest version.', {
  appId: told(integer, APP_ID),
  uid: told(string, PUSH_TEMPLATE_UID),
  name: told(string, GEOFENCE_NAME, 'Order shipped'),
  version: told(integer, PUSH_TEMPLATE_VERSION),
  ...saying,
  createdAt: told(plainTime, CREATED_AT, '2026-03-01 12:00:00'),
  updatedAt: told(plainTime, UPDATED_AT, '2026-03-01 12:30:00'),
})
export const presentPushTemplate = pushTemplate.present

export const pushTemplateVersion = answer<Pick<PushTemplate, 'uid'> & PushTemplateVersion>()(
  'PushTemplateVersion',
  'One version of a push template.',
  {
    uid: told(string, PUSH_TEMPLATE_UID),
    version: told(integer, PUSH_TEMPLATE_VERSION),
    ...saying,
    createdAt: told(plainTime, CREATED_AT, '2026-03-01 12:00:00'),
  },
)
export const presentPushTemplateVersion = ({ uid }: Pick<PushTemplate, 'uid'>, version: PushTemplateVersion) =>
  pushTemplateVersion.present({ uid, ...version })

/** A version in a list, without what it holds. */
const pushTemplateVersionLine = answer<Pick<PushTemplateVersion, 'version' | 'createdAt'>>()(
  'PushTemplateVersionLine',
  'A version of a push template without its content.',
  {
    version: told(integer, PUSH_TEMPLATE_VERSION),
    createdAt: told(plainTime, CREATED_AT, '2026-03-01 12:00:00'),
  },
)
export const presentPushTemplateVersionLine = pushTemplateVersionLine.present
export const pushTemplateVersionPage = pageOf(
  'versions',
  'One page of versions of a push template.',
  'The versions of the push template on this page.',
  pushTemplateVersionLine,
)

/** The content that a send would have, and the requests to gateways. */
export const pushTemplatePreview = answer<PushTemplatePreview>()(
  'PushTemplatePreview',
  'What a send says that names the push template, and what each kind of gateway would be sent.',
  {
    version: told(integer, PUSH_TEMPLATE_VERSION),
    ...saying,
    gateways: told(list(payload), 'The kinds of gateways, each with its request.'),
  },
)
export const presentPushTemplatePreview = pushTemplatePreview.present
