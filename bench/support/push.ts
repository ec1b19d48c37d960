import { randomUUID } from 'node:crypto'
import type { GatewaySettings, Prepared, PushMessage, Sender } from '../../src/domain/gateways/gateway.ts'
import { findGateway, type Platform } from '../../src/domain/gateways/registry.ts'
import { checkBlocks } from '../../src/domain/gateways/service.ts'
import type { Request } from './http.ts'

const CONTENT = { title: 'Fresh bread', message: 'Out of the oven until six.' }

/** The sender of a platform alone, without a server, and the message of `broadcast` prepared for it. */
export async function openSender(
  platform: Platform,
  block: unknown,
  settings: GatewaySettings,
): Promise<{ sender: Sender; prepared: Prepared }> {
  const checked = (await checkBlocks({ [platform]: block }, Date.now()))[platform]!
  const { merge, open } = findGateway(platform)
  const sender = await open(merge?.(checked, undefined, Date.now()) ?? checked, settings, Date.now)
  return { sender, prepared: sender.prepare(messageOfBroadcast()) }
}

/** The message of `broadcast`. */
const messageOfBroadcast = (): PushMessage => ({
  content: { ...CONTENT, data: {}, notificationId: 1, ios: {}, android: {}, web: {} } as never,
  expiresAt: Date.now() + 86_400_000,
  replacementKey: 'bench',
})

/** A short write, which shows how long calls wait while a broadcast runs. */
export function attributesOf(number: number): Request {
  const user = 1 + (number % 97)
  return { method: 'PUT', path: `/crm/v1/users/user-${user}/attributes`, body: { round: number } }
}

/** Asks a server for a broadcast and returns its id. `body`: what the request has besides its target. */
export async function broadcast(
  address: string,
  credentials: string,
  body: object = { content: CONTENT },
): Promise<number> {
  const response = await fetch(`${address}/messages/v2/notifications`, {
    method: 'POST',
    headers: {
      authorization: `Basic ${btoa(credentials)}`,
      'content-type': 'application/json',
      'idempotency-key': randomUUID(),
    },
    body: JSON.stringify({ target: { broadcast: true }, ...body }),
  })
  if (response.status !== 202) throw new Error(`the broadcast got ${response.status}: ${await response.text()}`)
  return ((await response.json()) as { notification: { id: number } }).notification.id
}
