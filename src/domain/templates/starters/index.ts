import type { Starter } from '../types.ts'
import { announcement } from './announcement.ts'
import { permission } from './permission.ts'
import { promotion } from './promotion.ts'
import { rating } from './rating.ts'
import { welcome } from './welcome.ts'

/** Templates to start from, by name. They are code, so that the packaged executable contains them. */
export const STARTERS = { welcome, announcement, promotion, permission, rating } as const satisfies Record<
  string,
  Starter
>

export type StarterName = keyof typeof STARTERS
export const STARTER_NAMES = Object.keys(STARTERS) as StarterName[]
