import { expect } from 'chai'
import { AppError, ERRORS, invalid, isAppError, messageOf } from '../../src/platform/errors.ts'

describe('errors', () => {
  it('every code has a response status of a failure and an exit code of sysexits', () => {
    for (const [code, { http, exit }] of Object.entries(ERRORS)) {
      expect(http, code).to.be.within(400, 599)
      expect(exit === 1 || (exit >= 64 && exit <= 78), code).to.equal(true)
    }
  })

  it('an error carries its code, its sentence and its details', () => {
    const error = new AppError('too_many', 'slow down', { headers: { 'Retry-After': '5' } })
    expect(error).to.be.an.instanceOf(Error)
    expect(error).to.include({ name: 'AppError', code: 'too_many', message: 'slow down' })
    expect(error.details).to.deep.equal({ headers: { 'Retry-After': '5' } })
    expect(new AppError('gone', 'x').details).to.deep.equal({})
  })

  it('wrong fields are the 422 of the contract', () => {
    const error = invalid({ name: ['is required'] })
    expect(error).to.include({ code: 'invalid', message: 'validation failed' })
    expect(error.details.fields).to.deep.equal({ name: ['is required'] })
  })

  it('ours are told from others, also when they come from another copy of the module', () => {
    const foreign = Object.assign(new Error('x'), { name: 'AppError', code: 'gone', details: {} })
    expect([new AppError('gone', 'x'), foreign].every(isAppError)).to.equal(true)
    const others = [
      new Error('x'),
      Object.assign(new Error('x'), { code: 'gone' }),
      Object.assign(new Error('x'), { name: 'AppError' }),
      Object.assign(new Error('x'), { name: 'AppError', code: 'ENOENT' }),
      Object.assign(new Error('x'), { name: 'AppError', code: 'constructor' }),
      { name: 'AppError', code: 'gone' },
      'AppError',
      null,
      undefined,
    ]
    expect(others.filter(isAppError)).to.deep.equal([])
  })

  it('anything that was thrown has a sentence', () => {
    expect([new Error('a'), 'b', 3, null, undefined].map(messageOf)).to.deep.equal(['a', 'b', '3', 'null', 'undefined'])
  })
})
