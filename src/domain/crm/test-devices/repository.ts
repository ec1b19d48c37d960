import type { Sql } from '../../../platform/db/connect.ts'
import type { PlatformType } from '../../gateways/registry.ts'
import type { Install } from '../types.ts'

/** A device that people of the app send tests to. */
export interface TestDevice {
  id: number
  name: string
  installId: string
  /** The user of the install now. */
  userId: string | null
  /** Number of its platform; null while it has no push token. */
  platform: PlatformType | null
  runsIn: Install['runsIn']
  /** True when a push reaches it now. */
  subscribed: boolean
  deviceModel: string | null
  deviceName: string | null
  createdAt: number
}

/** SQLite has numbers for booleans. */
type StoredDevice = Omit<TestDevice, 'subscribed'> & { subscribed: boolean | number }

export type TestDevicesRepository = ReturnType<typeof testDevicesRepository>

/** Tables: docs/reference/schema.md#test_devices. */
export function testDevicesRepository(sql: Sql) {
  const shown = (appId: number) =>
    sql('test_devices as t')
      .join('installs as i', 'i.id', 't.install_row')
      .leftJoin('users as u', 'u.id', 'i.user_id')
      .where('t.app_id', appId)
      .select({
        id: 't.id',
        name: 't.name',
        installId: 'i.install_id',
        userId: 'u.identifier',
        platform: 'i.platform',
        runsIn: 'i.runs_in',
        subscribed: 'i.subscribed',
        deviceModel: 'i.device_model',
        deviceName: 'i.device_name',
        createdAt: 't.created_at',
      })

  const toDevice = (row: StoredDevice): TestDevice => ({ ...row, subscribed: Boolean(row.subscribed) })

  return {
    /** Test devices, oldest first, at most `limit`. */
    async list(appId: number, limit: number): Promise<TestDevice[]> {
      const rows: StoredDevice[] = await shown(appId).orderBy('t.id').limit(limit)
      return rows.map(toDevice)
    },

    async find(appId: number, id: number): Promise<TestDevice | undefined> {
      const row: StoredDevice | undefined = await shown(appId).where('t.id', id).first()
      return row && toDevice(row)
    },

    /** Adds a device, or gives the one that is there another name. Returns its id. */
    async save(appId: number, device: { name: string; row: number; createdAt: number }): Promise<number> {
      const [stored] = await sql('test_devices')
        .insert({ app_id: appId, name: device.name, install_row: device.row, created_at: device.createdAt })
        .onConflict(['app_id', 'install_row'])
        .merge(['name'])
        .returning('id')
      return stored.id
    },

    /** Removes a device; returns whether there was one. */
    async remove(appId: number, id: number): Promise<boolean> {
      return (await sql('test_devices').where({ app_id: appId, id }).delete()) > 0
    },
  }
}
