import type { ScryptOptions } from 'node:crypto'
import { Worker } from 'node:worker_threads'
import { heapOf } from '../threads/heaps.ts'

/** What a thread of its own computes: scrypt takes a tenth of a second or more of a processor. */
export interface ScryptJob {
  password: string
  salt: Uint8Array
  length: number
  cost: ScryptOptions
}

/**
 * A thread of its own, so that files and host names, which wait for the few threads of libuv, never wait for a password. On Linux the
 * priority is that of the thread alone. With 5 it gets a third of what another busy thread gets: whoever asks something else comes first, and
 * somebody who signs in is not forgotten.
 */
const CODE = `
const { parentPort } = require('node:worker_threads')
const { scryptSync } = require('node:crypto')
const os = require('node:os')
if (process.platform === 'linux') { try { os.setPriority(5) } catch {} }
parentPort.on('message', ({ password, salt, length, cost }) => {
  try { parentPort.postMessage({ key: scryptSync(password, salt, length, cost) }) }
  catch (error) { parentPort.postMessage({ error: String(error) }) }
})
`

/** How long the thread stays when it has nothing to do: people sign in seldom, and it takes megabytes. */
const IDLE_MS = 10_000

let worker: Worker | undefined
let isBusy = false
let idle: NodeJS.Timeout | undefined

/** Derives a key in the thread. One at a time: the caller queues. */
export async function scryptElsewhere(job: ScryptJob): Promise<Buffer> {
  if (isBusy) throw new Error('the thread derives one key at a time')
  isBusy = true
  clearTimeout(idle)
  const at = (worker ??= start())
  // While it works, the process waits for it.
  at.ref()
  try {
    return await answerOf(at, job)
  } finally {
    isBusy = false
    at.unref()
    idle = setTimeout(() => end(at), IDLE_MS)
    idle.unref()
  }
}

function start(): Worker {
  const made = new Worker(CODE, { eval: true, execArgv: [], resourceLimits: heapOf('background') })
  // Also while nobody waits for it: the next one starts another.
  made.on('error', () => end(made))
  return made
}

function end(at: Worker): void {
  if (worker === at) worker = undefined
  void at.terminate()
}

function answerOf(at: Worker, job: ScryptJob): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const onAnswer = ({ key, error }: { key?: Uint8Array; error?: string }) => {
      leave()
      if (key) resolve(Buffer.from(key))
      else reject(new Error(error))
    }
    const onError = (error: Error) => {
      leave()
      end(at)
      reject(error)
    }
    const onExit = () => onError(new Error('the thread that derives keys has ended'))
    const leave = () => {
      at.off('message', onAnswer)
      at.off('error', onError)
      at.off('exit', onExit)
    }
    at.on('message', onAnswer)
    at.on('error', onError)
    at.on('exit', onExit)
    at.postMessage(job)
  })
}
