import { randomUUID } from 'node:crypto'
import { openFcm } from '../../src/domain/gateways/fcm/client.ts'
import type { FcmFacts, FcmSecret } from '../../src/domain/gateways/fcm/credentials.ts'
import type { Prepared, Sender } from '../../src/domain/gateways/gateway.ts'
import { checkBlocks } from '../../src/domain/gateways/service.ts'
import type { Request } from './http.ts'

const CONTENT = { title: 'Fresh bread', message: 'Out of the oven until six.' }

/** Our FCM sender alone, without a server, and the message of `broadcast` prepared for it. */
export async function openFcmSender(
  serviceAccount: unknown,
  { fcmUrl, fcmTokenUrl, ca }: { fcmUrl: string; fcmTokenUrl: string; ca: string },
): Promise<{ sender: Sender; prepared: Prepared }> {
  const { android } = await checkBlocks({ android: { serviceAccount } }, Date.now())
  const credential = { secret: android!.secret as FcmSecret, facts: android!.facts as FcmFacts }
  const sender = openFcm(credential, { fcmUrl, fcmTokenUrl, allowPrivate: false, ca: [ca] }, Date.now)
  const prepared = sender.prepare({
    content: { ...CONTENT, data: {}, notificationId: 1, ios: {}, android: {}, web: {} } as never,
    expiresAt: Date.now() + 86_400_000,
    replacementKey: 'bench',
  })
  return { sender, prepared }
}

/** A short write, which shows how long calls wait while a broadcast runs. */
export function attributesOf(number: number): Request {
  const user = 1 + (number % 97)
  return { method: 'PUT', path: `/crm/v1/users/user-${user}/attributes`, body: { round: number } }
}

/** Asks a server for a broadcast and returns its id. */
export async function broadcast(address: string, credentials: string): Promise<number> {
  const response = await fetch(`${address}/messages/v2/notifications`, {
    method: 'POST',
    headers: {
      authorization: `Basic ${btoa(credentials)}`,
      'content-type': 'application/json',
      'idempotency-key': randomUUID(),
    },
    body: JSON.stringify({ target: { broadcast: true }, content: CONTENT }),
  })
  if (response.status !== 202) throw new Error(`the broadcast got ${response.status}: ${await response.text()}`)
  return ((await response.json()) as { notification: { id: number } }).notification.id
}
