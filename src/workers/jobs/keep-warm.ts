import type { Sender } from '../../domain/gateways/gateway.ts'
import type { Platform } from '../../domain/gateways/registry.ts'

/** One gateway of one app. */
export interface Line {
  appId: number
  platform: Platform
}

export interface WarmParts {
  /** The gateways that were configured last. */
  newest(): Promise<Line[]>
  /** The gateways of the apps that sent last. */
  latest(): Promise<Line[]>
  find(line: Line): Promise<Sender | undefined>
  /** A clock (ms) that never decreases. */
  monotonic(): number
}

/** Gateways are kept warm for this long after they were used or configured. */
const KEEP_MS = 15 * 60_000
/** A sender is warmed again after this time: a session must be checked before the vendor closes it. */
const AGAIN_MS = 30_000
/** Maximum number of gateways that one thread keeps warm: each is a connection. */
const MAX_LINES = 32

/**
 * Connects to gateways ahead of the first push: when a thread starts, those of the apps that sent last; later those that
 * were just configured; and those that were used lately are kept connected. A first push then waits neither for code to
 * load nor for a handshake nor for an access token.
 */
export function createKeepWarm(parts: WarmParts) {
  const lines = new Map<string, { line: Line; usedAt: number; warmedAt: number }>()
  const known = new Set<string>()
  let isStarted = false

  function use(line: Line): void {
    const key = `${line.appId} ${line.platform}`
    const warmedAt = lines.get(key)?.warmedAt ?? Number.NEGATIVE_INFINITY
    // The one used last comes last.
    lines.delete(key)
    lines.set(key, { line, usedAt: parts.monotonic(), warmedAt })
    while (lines.size > MAX_LINES) lines.delete(lines.keys().next().value!)
  }

  return {
    /** Notes that this gateway is being sent to. */
    use,

    /** Warms the gateways that are due. Resolves when the senders are ready or have failed; rejects when the database cannot be read. */
    async warm(): Promise<void> {
      if (!isStarted) for (const line of await parts.latest()) use(line)
      isStarted = true
      for (const line of await parts.newest()) {
        const key = `${line.appId} ${line.platform}`
        if (!known.has(key)) use(line)
        known.add(key)
      }
      const now = parts.monotonic()
      const due = [...lines].filter(([key, { usedAt, warmedAt }]) => {
        if (now - usedAt >= KEEP_MS) lines.delete(key)
        return lines.has(key) && now - warmedAt >= AGAIN_MS
      })
      await Promise.all(
        due.map(async ([, kept]) => {
          kept.warmedAt = now
          await (await parts.find(kept.line))?.warm()
        }),
      )
    },
  }
}
