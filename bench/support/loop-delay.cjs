/**
 * Loaded into the server by a bench. On SIGUSR2 it writes the longest time for which the main thread's event loop was held
 * since the last time, in ms of processor time: other programs of the machine do not count. The file is LOOP_DELAY_FILE.
 */
const { isMainThread } = require('node:worker_threads')
const { renameSync, writeFileSync } = require('node:fs')

if (isMainThread) {
  let longest = 0
  let last = process.threadCpuUsage()
  // A timer that is due waits until whatever holds the loop has ended.
  setInterval(() => {
    const now = process.threadCpuUsage()
    longest = Math.max(longest, now.user + now.system - last.user - last.system)
    last = now
  }, 1).unref()
  process.on('SIGUSR2', () => {
    const file = process.env.LOOP_DELAY_FILE
    writeFileSync(`${file}.new`, String(longest / 1000))
    renameSync(`${file}.new`, file)
    longest = 0
  })
}
