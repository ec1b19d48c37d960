import type { Command } from '@oclif/core'
import { Serve } from './commands/serve.ts'
import { Worker } from './commands/worker.ts'

/**
 * Commands that run for months, by id. `run.ts` starts them without loading the others: a server keeps what it has loaded, and few are
 * ever asked for another command.
 */
export const DAEMONS: Record<string, Command.Class> = { serve: Serve, worker: Worker }

// By this name a command knows itself (commands.ts).
for (const [id, command] of Object.entries(DAEMONS)) command.id = id
