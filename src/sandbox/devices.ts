import type { Device } from './plan.ts'

export type Devices = ReturnType<typeof startDevices>

/**
 * What the sandbox knows about device tokens. A token that nobody declared belongs to every environment, topic and
 * project and is alive, so that nothing has to be declared to try things out.
 */
export function startDevices(gateways: readonly string[]) {
  const known = new Map<string, Device>()
  return {
    declare(device: Device): void {
      known.set(keyOf(device.gateway, device.token), device)
    },
    /** Forgets all and declares these. */
    replace(devices: readonly Device[]): void {
      known.clear()
      for (const device of devices) known.set(keyOf(device.gateway, device.token), device)
    },
    find(gateway: string, token: string): Device | undefined {
      return known.size === 0 ? undefined : known.get(keyOf(gateway, token))
    },
    forget(token: string): boolean {
      // Every one of them, so no `some`.
      return gateways.map((gateway) => known.delete(keyOf(gateway, token))).includes(true)
    },
    about: (token: string): Device[] => gateways.flatMap((gateway) => known.get(keyOf(gateway, token)) ?? []),
    all: (): Device[] => [...known.values()],
  }
}

/** APNs tokens are hex, so their case means nothing. */
function keyOf(gateway: string, token: string): string {
  return gateway === 'apns' ? `apns ${token.toLowerCase()}` : `${gateway} ${token}`
}
