import { expect } from 'chai'
import { momentOf } from '../../../src/domain/crashes/report-parts.ts'
import { summarize, traceOf } from '../../../src/domain/crashes/summary.ts'
import { CRASH_SOURCES, type CrashSource } from '../../../src/domain/crashes/types.ts'
import { ACRA, KSCRASH, RAVEN } from './reports.ts'

const withoutFault = (source: CrashSource, report: unknown, format?: string) => {
  const { fingerprint, ...rest } = summarize(source, report, format)
  expect(fingerprint).to.match(/^[0-9a-f]{16}$/)
  return rest
}
const AT = Date.parse('2026-03-01T07:30:05Z')

describe('the summary of a crash report', () => {
  it('of ACRA has the frame of the app itself', () => {
    expect(withoutFault('acra', ACRA)).to.deep.equal({
      platform: 'android',
      exception: 'java.lang.IllegalStateException',
      message: 'cart is empty: why',
      appVersion: '3.1.4',
      osVersion: '13',
      device: 'google Pixel 5',
      frame: 'com.example.shop.Cart.pay(Cart.kt:71)',
      reportId: ACRA.REPORT_ID,
      at: AT + 123,
    })
    expect(traceOf('acra', ACRA)).to.have.length(5)
  })

  it('of KSCrash has the frame of the app itself, as a distance when it has no symbol', () => {
    expect(withoutFault('kscrash', KSCRASH)).to.deep.equal({
      platform: 'ios',
      exception: 'NSRangeException',
      message: 'index 5 beyond bounds',
      appVersion: '3.1.4',
      osVersion: '15.4',
      device: 'iPhone13,2',
      frame: 'Shop +0x1000',
      reportId: KSCRASH.report.id,
      at: AT,
    })
    expect(traceOf('kscrash', KSCRASH)).to.deep.equal(['CoreFoundation __exceptionPreprocess', 'Shop +0x1000'])
  })

  for (const [what, error, exception] of [
    ['a C++ exception', { cpp_exception: { name: 'std::bad_alloc' }, signal: { name: 'SIGABRT' } }, 'std::bad_alloc'],
    ['what the app reported', { user_reported: { name: 'Oops', line_of_code: 'a.swift:3' } }, 'Oops'],
    ['a signal', { signal: { name: 'SIGSEGV' }, mach: { exception_name: 'EXC_BAD_ACCESS' } }, 'SIGSEGV'],
    ['a mach exception', { mach: { exception_name: 'EXC_BAD_ACCESS' }, type: 'mach' }, 'EXC_BAD_ACCESS'],
    ['a deadlock', { type: 'deadlock' }, 'deadlock'],
  ] as const) {
    it(`of KSCrash names ${what}`, () => {
      expect(summarize('kscrash', { crash: { error } }).exception).to.equal(exception)
    })
  }

  it('of React Native has the last frame, which is the innermost', () => {
    expect(withoutFault('event', RAVEN, 'raven')).to.deep.include({
      platform: 'react-native',
      exception: 'TypeError',
      message: 'undefined is not a function',
      appVersion: '1.2.0',
      frame: 'pay (/main.jsbundle:812)',
      reportId: RAVEN.event_id,
    })
    expect(traceOf('event', RAVEN)).to.deep.equal(['pay (/main.jsbundle:812)', 'start (/main.jsbundle:1)'])
  })

  it('of Xamarin and of Flutter is read out of the message and the stack', () => {
    const xamarin = {
      type: 'System.Exception',
      message: 'no: way',
      stackTrace: '  at Shop.Cart.Pay () [0x1]\n',
      source: 'Shop',
    }
    expect(withoutFault('event', xamarin, 'xamarin-csharp')).to.include({
      platform: 'xamarin',
      exception: 'System.Exception',
      message: 'no: way',
      frame: 'at Shop.Cart.Pay () [0x1]',
    })
    const stackTrace =
      '#0      State.build (package:flutter/x.dart:1:2)\n#1      Cart.pay (package:shop/cart.dart:71:5)'
    expect(withoutFault('event', { message: 'StateError: bad', stackTrace }, 'flutter')).to.include({
      platform: 'flutter',
      exception: 'StateError',
      message: 'bad',
      frame: '#1      Cart.pay (package:shop/cart.dart:71:5)',
    })
  })

  const nonsense: unknown[] = [
    null,
    5,
    'text',
    [],
    {},
    { text: 'x' },
    { STACK_TRACE: 5, REPORT_ID: {}, USER_CRASH_DATE: [] },
    { STACK_TRACE: '\0\ud800', PACKAGE_NAME: {} },
    { crash: { threads: [null, 5, { crashed: true, backtrace: { contents: [null, 7, {}] } }], error: 5 }, system: [] },
    { crash: { threads: { crashed: true } }, report: { id: [], timestamp: 'never' } },
    { exception: { values: [null, { stacktrace: { frames: [null, 'x'] } }] } },
    { message: 5, stackTrace: {} },
    JSON.parse('{"__proto__":{"crash":{}}}'),
  ]
  it('of anything else is made without failing', () => {
    for (const source of CRASH_SOURCES) {
      for (const report of nonsense) {
        expect(summarize(source, report), JSON.stringify(report)).to.have.property('fingerprint')
        expect(traceOf(source, report)).to.be.an('array')
      }
    }
  })

  it('is read in one go, however long the lines are and whatever they are made of', () => {
    // Minutes, where each blank would be the start of another search.
    const line = `#1${' '.repeat(390_000)}x`
    expect(summarize('event', { message: 'x', stackTrace: line }, 'flutter').frame).to.equal(
      `#1${' '.repeat(498)}`.trim(),
    )
  })

  it('fits into what databases take', () => {
    const long = summarize('acra', {
      ...ACRA,
      STACK_TRACE: `E\0${'x'.repeat(300)}: ${'m'.repeat(5000)}`,
      PHONE_MODEL: '\ud800',
    })
    expect(long.exception).to.equal(`E${'x'.repeat(254)}`)
    expect(long.message).to.have.length(1000)
    expect(long.device).to.equal('google \ufffd')
  })

  it('has the same fault for the same place, whatever the line, and another one elsewhere', () => {
    const fault = (stack: string) => summarize('acra', { ...ACRA, STACK_TRACE: stack }).fingerprint
    const stack = (line: number, method = 'pay') =>
      `E: why ${line}\n\tat com.example.shop.Cart.${method}(Cart.kt:${line})`
    expect(fault(stack(71))).to.equal(fault(stack(72)))
    expect(fault(stack(71))).to.not.equal(fault(stack(71, 'clear')))
  })
})

describe('the moment of a crash report', () => {
  for (const [value, at] of [
    ['2026-03-01T07:30:05Z', AT],
    ['2026-03-01T09:30:05.123+0200', AT + 123],
    ['2026-03-01T07:30:05.123456Z', AT + 123],
    [AT / 1000, AT],
    [AT, AT],
    [AT * 1000, AT],
    ['yesterday', null],
    [-1, null],
    [Number.NaN, null],
    [null, null],
  ] as const) {
    it(`${JSON.stringify(value)} is ${at}`, () => {
      expect(momentOf(value)).to.equal(at)
    })
  }
})
