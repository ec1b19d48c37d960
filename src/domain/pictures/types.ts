import { integer, table, text, type Value } from '../../platform/db/table.ts'
import type { PictureKind } from '../../platform/pictures/types.ts'

export const PICTURES = table('pictures', {
  id: integer('id'),
  appId: integer('app_id'),
  /** A digest of the app and the bytes: 32 hexadecimal digits. */
  uid: text('uid'),
  name: text('name'),
  kind: text('kind').as<PictureKind>(),
  /** In pixels, as it is shown. */
  width: integer('width'),
  height: integer('height'),
  /** 1 unless it is animated. */
  frames: integer('frames'),
  /** In bytes. */
  size: integer('size'),
  createdAt: integer('created_at'),
})

/** A picture of an app without its bytes. Times are milliseconds since the epoch. */
export type Picture = Value<typeof PICTURES>

/** A picture of a list. */
export interface ListedPicture extends Picture {
  /** Something that is stored here names it. */
  isUsed: boolean
}

/** Things that may name a picture, each with its column in `picture_uses`, its table, and the column that callers know. */
export const USERS = {
  'push template': { column: 'push_template_id', table: 'push_templates', shown: 'uid' },
  template: { column: 'template_id', table: 'templates', shown: 'uid' },
  notification: { column: 'notification_id', table: 'notifications', shown: 'id' },
  'in-app message': { column: 'in_app_message_id', table: 'in_app_messages', shown: 'id' },
  'push approval': { column: 'push_approval_id', table: 'push_approvals', shown: 'id' },
  series: { column: 'series_id', table: 'series', shown: 'id' },
  'deep link': { column: 'deep_link_id', table: 'deep_links', shown: 'id' },
  app: { column: 'icon_app_id', table: 'apps', shown: 'id' },
} as const

export type PictureUser = keyof typeof USERS

/** Things in which addresses of pictures are looked for. An app names its icon by itself. */
export type PictureNamer = Exclude<PictureUser, 'app'>

/** One thing that names a picture; `id` as callers know it. */
export interface PictureUse {
  kind: PictureUser
  id: string
}

/** The pictures that a list shows. */
export interface PictureFilter {
  /** True: those that something names; false: the others. */
  used?: boolean | undefined
}

/** Limits of the pictures of one app. */
export interface PictureLimits {
  /** Number of pictures. */
  count: number
  /** Bytes of all pictures. */
  bytes: number
}
