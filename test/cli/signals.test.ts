import type { EventEmitter } from 'node:events'
import { expect } from 'chai'
import { hearSignals } from '../../src/cli/process/signals.ts'

describe('signals that ask a program to stop', () => {
  // Not SIGTERM or SIGINT, which whoever runs the tests hears.
  const SIGNALS = ['SIGWINCH', 'SIGURG'] as const
  const NUMBERS = { SIGWINCH: 28, SIGURG: 23 }
  let now: number
  let asked: NodeJS.Signals[]
  let exits: number[]
  let end: () => void

  beforeEach(() => {
    now = 5000
    asked = []
    exits = []
    end = hearSignals((name) => asked.push(name), SIGNALS, { now: () => now, exit: (code) => exits.push(code) })
  })
  afterEach(() => end())

  const send = (name: (typeof SIGNALS)[number]) => (process as EventEmitter).emit(name, name, NUMBERS[name])

  it('are one within a moment, also when they are different ones', () => {
    send('SIGWINCH')
    now += 200
    send('SIGURG')
    send('SIGWINCH')
    expect({ asked, exits }).to.deep.equal({ asked: ['SIGWINCH'], exits: [] })
  })

  it('end the process at once when another one comes later, with 128 and its number', () => {
    send('SIGWINCH')
    now += 201
    send('SIGURG')
    expect({ asked, exits }).to.deep.equal({ asked: ['SIGWINCH'], exits: [151] })
  })

  it('are given back', () => {
    end()
    send('SIGWINCH')
    expect(asked).to.deep.equal([])
  })
})
