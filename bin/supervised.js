// Started by own-node.js only. A kill -9 of the process that people and supervisors know must be a kill -9 of this one:
// otherwise a server would live on, hold its port and its data directory, and nobody could stop it by name.
import { start } from './start.js'

const die = () => process.kill(process.pid, 'SIGKILL')
// First: a listener would count as a reason to stay alive.
process.channel?.unref()
process.on('disconnect', die)
if (!process.connected) die()

await start()
