import { integer, table, text, type Value } from '../../platform/db/table.ts'
import type { Payload } from '../notifications/accept/payloads.ts'
import type { PushTemplateBody } from '../notifications/request/request.ts'

export const PUSH_TEMPLATES = table('push_templates', {
  id: integer('id'),
  appId: integer('app_id'),
  /** Known to callers; unique in the app. */
  uid: text('uid'),
  name: text('name'),
  /** The newest version; numbers begin at 1. */
  version: integer('version'),
  createdAt: integer('created_at'),
  updatedAt: integer('updated_at'),
})

/** Stored content of pushes, with versions. Times are milliseconds since the epoch. */
export type PushTemplate = Value<typeof PUSH_TEMPLATES>

/** The parts of a push template that make a version. */
export const BODY_PARTS = ['content', 'personalize', 'lookup', 'ios', 'android', 'buttons'] as const

export interface PushTemplateVersion {
  version: number
  createdAt: number
  body: PushTemplateBody
}

/** A push template with its newest version. */
export interface WholePushTemplate extends PushTemplate {
  body: PushTemplateBody
}

/** A push template to create. Its `uid` is generated if absent, and its `name` defaults to the uid. */
export interface NewPushTemplate {
  uid?: string | undefined
  name?: string | undefined
  body: PushTemplateBody
}

/** Changes of a request: absent fields are left unchanged, null clears. A `uid` must be that of the push template. */
export interface PushTemplateChange {
  uid?: string | undefined
  name?: string | undefined
  body: { [Part in keyof PushTemplateBody]?: PushTemplateBody[Part] | null }
}

/** The content of a send that names a push template, and the request for each kind of gateway. */
export interface PushTemplatePreview {
  version: number
  body: PushTemplateBody
  gateways: readonly Payload[]
}

/** A template of another service as the body that creates a push template, not checked yet. */
export interface ReadTemplate {
  body: Record<string, unknown>
  /** Members with a value that a push here does not have. */
  leftOut: string[]
}
