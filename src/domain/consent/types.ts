import { boolean, integer, table, text, type Value } from '../../platform/db/table.ts'

export const PURPOSES = table('purposes', {
  id: integer('id'),
  appId: integer('app_id'),
  /** Chosen by the caller; unique in the app. */
  uid: text('uid'),
  name: text('name'),
  description: text('description').orNull,
  /** True when users who chose nothing allow the purpose. */
  default: boolean('allowed_by_default'),
  /** True when users cannot refuse the purpose. */
  required: boolean('required'),
  createdAt: integer('created_at'),
  updatedAt: integer('updated_at'),
})

/** A purpose that a person can allow: `news`, `offers`. A send names one. Times are milliseconds since the epoch. */
export type Purpose = Value<typeof PURPOSES>

export type PurposeFields = Pick<Purpose, 'name' | 'description' | 'default' | 'required'>

/** Origins of a choice: the app, a page of preferences, or a server. */
export const CHOICE_SOURCES = ['device', 'page', 'server'] as const
export type ChoiceSource = (typeof CHOICE_SOURCES)[number]

/** The choice of a user about one purpose. */
export interface Choice {
  allowed: boolean
  at: number
  source: ChoiceSource
}

/** A purpose as it applies to one user: `choice` is null while the default decides. */
export interface ChosenPurpose {
  purpose: Purpose
  allowed: boolean
  choice: Choice | null
}

/** Changes of a user's choices by uid of the purpose; null goes back to the default. */
export type ChoiceChanges = Record<string, boolean | null>

export const SUPPRESSIONS = table('suppressions', {
  id: integer('id'),
  appId: integer('app_id'),
  digest: text('digest'),
  reason: text('reason').orNull,
  at: integer('at'),
})

/** An entry of the suppression list. */
export type Suppression = Value<typeof SUPPRESSIONS>

/** Reasons for which a user gets nothing of a send, as reports say them. */
export type Refusal = 'not_wanted' | 'on_suppression_list'

/** The fields of a send about consent. */
export interface ConsentOfSend {
  /** The uid of its purpose; null: it has none. */
  purpose: string | null
  /** True when the send ignores quiet hours, frequency cap and purposes. */
  transactional: boolean
}

/** A send that names neither. */
export const NO_CONSENT_ASKED: ConsentOfSend = { purpose: null, transactional: false }

export const PRIORITIES = ['normal', 'transactional'] as const

/** Rules to apply before a send goes to a user. */
export interface ConsentRules {
  /** The choices that count; null: no purpose, or one that cannot be refused. */
  purpose: { id: number; default: boolean } | null
  /** The app has a suppression list. */
  suppressing: boolean
}
