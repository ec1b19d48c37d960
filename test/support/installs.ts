import { collect } from '../../src/platform/concurrency/chunks.ts'
import type { Program } from '../../src/program.ts'
import type { TestProgram } from './program.ts'

export interface InstallKind {
  /** Identifier of a known user; without it the install keeps its anonymous one. */
  user?: string
  /** False leaves it without a push token. Default true. */
  subscribed?: boolean
}

/** An install as it comes to be when a device calls; returns its row. */
export function addInstall(program: Program, appId: number, installId: string, how: InstallKind = {}): Promise<number> {
  const { user, subscribed = true } = how
  return program.inTransaction(async ({ crm }) => {
    const at = program.kernel.clock.now()
    const install = await crm.ensureInstall(appId, installId, at)
    if (user !== undefined) await crm.associate(appId, install, user, { at })
    if (subscribed) await crm.registerToken(appId, install, { token: `token-${installId}`, type: 2 }, at)
    return install.row
  })
}

/** Signs a user in on a phone, a moment later. */
export async function passTo({ program, clock, first }: TestProgram, installId: string, user: string): Promise<void> {
  clock.advance(1)
  await program.inTransaction(async ({ crm }) => {
    const install = await crm.ensureInstall(first.id, installId, clock.now())
    await crm.associate(first.id, install, user, { at: clock.now() })
  })
}

/** A page of the user list, whole. */
export async function usersPage(program: Program, appId: number, page: number, size: number) {
  const { users, total } = await program.crm.listUsers(appId, page, size)
  return { users: await collect(users), total }
}
