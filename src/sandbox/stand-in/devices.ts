import type { Device } from './plan.ts'

export type Devices = ReturnType<typeof startDevices>

/**
 * What the sandbox knows about device tokens. An undeclared token is valid for every environment, topic and project, so
 * that you can try things without declaring anything.
 */
export function startDevices(gateways: readonly string[]) {
  const known = new Map<string, Device>()
  return {
    declare(device: Device): void {
      known.set(keyOf(device.gateway, device.token), device)
    },
    /** Replaces all declarations. */
    replace(devices: readonly Device[]): void {
      known.clear()
      for (const device of devices) known.set(keyOf(device.gateway, device.token), device)
    },
    find(gateway: string, token: string): Device | undefined {
      return known.size === 0 ? undefined : known.get(keyOf(gateway, token))
    },
    forget(token: string): boolean {
      // Not `some`, which would stop at the first.
      return gateways.map((gateway) => known.delete(keyOf(gateway, token))).includes(true)
    },
    about: (token: string): Device[] => gateways.flatMap((gateway) => known.get(keyOf(gateway, token)) ?? []),
    all: (): Device[] => [...known.values()],
  }
}

/** APNs tokens are hexadecimal, so their case does not matter. */
function keyOf(gateway: string, token: string): string {
  return gateway === 'apns' ? `apns ${token.toLowerCase()}` : `${gateway} ${token}`
}
