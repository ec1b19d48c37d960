import { setTimeout as sleep } from 'node:timers/promises'
import { openCaller, type Request } from '../support/http.ts'
import { monotonicMs, timedTitle } from '../support/timed-gateway.ts'
import type { Rig, SendingApp } from './rig.ts'

/** The most ordinary send: to some users, with words of its own. `at` (`monotonicMs`) is the moment from which it waits. */
export function sendTo(users: readonly number[], mark = 'send', at = monotonicMs()): Request {
  return {
    method: 'POST',
    path: '/messages/v2/notifications',
    body: {
      target: { userIds: users.map((user) => `user-${user}`) },
      content: { title: timedTitle(mark, at), message: `Your order ${users[0]} is ready.` },
    },
  }
}

/** Number `number` of requests to `recipients` users each, who take turns. */
export function usersOf(number: number, recipients: number, installs: number): number[] {
  return Array.from({ length: recipients }, (_, i) => 1 + ((number * recipients + i) % installs))
}

/** Makes `count` requests over so many connections, as fast as they are answered. Throws when one is not accepted. */
export async function sendAll(
  { address }: Rig,
  { credentials }: SendingApp,
  { count, connections, request }: { count: number; connections: number; request(number: number): Request },
): Promise<void> {
  let next = 0
  const sendOn = async () => {
    const caller = await openCaller(address, credentials)
    while (next < count) {
      const status = await caller.call(request(next++))
      if (status !== 202) throw new Error(`a send got ${status}`)
    }
    caller.close()
  }
  await Promise.all(Array.from({ length: connections }, sendOn))
}

/**
 * Sends to one user after another at a rate, whether the server keeps up or not, while `goesOn` says so of the number of the next one.
 * A request for which no connection is free waits, and its wait counts: each is marked with the moment at which it was due.
 * Resolves with how many were sent.
 */
export async function offer(
  { address }: Rig,
  { credentials, installs }: SendingApp,
  {
    rate,
    connections,
    mark,
    goesOn,
  }: { rate: number; connections: number; mark: string; goesOn(number: number): boolean },
): Promise<number> {
  const began = monotonicMs()
  let next = 0
  let sent = 0
  const offerOn = async () => {
    const caller = await openCaller(address, credentials)
    for (let number = next++; goesOn(number); number = next++) {
      const dueAt = began + (number * 1000) / rate
      const waitMs = dueAt - monotonicMs()
      if (waitMs > 0) await sleep(waitMs)
      const status = await caller.call(sendTo([1 + (number % installs)], mark, dueAt))
      if (status !== 202) throw new Error(`a send got ${status}`)
      sent++
    }
    caller.close()
  }
  await Promise.all(Array.from({ length: connections }, offerOn))
  return sent
}
