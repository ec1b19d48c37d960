import { createInterface } from 'node:readline/promises'
import { Writable } from 'node:stream'
import { catchInterruption, Interrupted } from '../process/interruption.ts'
import type { Io } from '../process/io.ts'

/** Asks on the terminal for something that is not shown while it is typed. Throws `Interrupted` for Ctrl-C. */
export async function askSecret(io: Io, question: string): Promise<string> {
  io.stderr.write(question)
  const silent = new Writable({ write: (_piece, _encoding, done) => done() })
  const prompt = createInterface({ input: io.stdin, output: silent, terminal: true })
  const interruption = catchInterruption(io)
  const pressed = new Promise<never>((_, reject) => prompt.once('SIGINT', () => reject(new Interrupted('SIGINT'))))
  pressed.catch(() => {})
  try {
    return await Promise.race([prompt.question(''), pressed, interruption.arrived])
  } finally {
    io.stderr.write('\n')
    interruption.end()
    prompt.close()
  }
}
