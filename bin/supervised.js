// Started by own-node.js only. When the parent is killed with SIGKILL, this process must die too: otherwise a server would keep running,
// with its port and its data directory, under a process id that no supervisor knows.
import { start } from './start.js'

const die = () => process.kill(process.pid, 'SIGKILL')
// Before adding the listener, which would otherwise keep the process alive.
process.channel?.unref()
process.on('disconnect', die)
if (!process.connected) die()

await start()
