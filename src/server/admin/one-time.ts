import { oneTimeAddress } from '../../domain/admins/addresses.ts'
import type { LinkKind } from '../../domain/admins/links.repository.ts'

/** A one-time link for somebody, from the address of the area. */
export const consoleAddress = (areaAddress: string, kind: LinkKind, token: string): string =>
  oneTimeAddress(areaAddress.replace(/\/admin$/, ''), kind, token)
