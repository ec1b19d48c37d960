/** Reports as the libraries in the SDKs write them, shortened. */

export const ACRA = {
  REPORT_ID: '0d7cbb6a-21e9-4b3a-8f0e-5c2a90f2d6a1',
  APP_VERSION_CODE: 42,
  APP_VERSION_NAME: '3.1.4',
  PACKAGE_NAME: 'com.example.shop',
  PHONE_MODEL: 'Pixel 5',
  BRAND: 'google',
  ANDROID_VERSION: '13',
  STACK_TRACE: [
    'java.lang.IllegalStateException: cart is empty: why',
    '\tat android.os.Handler.dispatchMessage(Handler.java:106)',
    '\tat com.example.shop.Cart.pay(Cart.kt:71)',
    'Caused by: java.lang.NullPointerException',
    '\t... 3 more',
    '',
  ].join('\n'),
  USER_CRASH_DATE: '2026-03-01T09:30:05.123+0200',
  IS_SILENT: 'false',
}

export const KSCRASH = {
  report: {
    version: '3.2.0',
    id: '6B1F7D5E-0A44-4B2A-9B35-3F0E6C1F4C11',
    process_name: 'Shop',
    timestamp: '2026-03-01T07:30:05Z',
    type: 'standard',
  },
  system: {
    system_name: 'iOS',
    system_version: '15.4',
    machine: 'iPhone13,2',
    CFBundleExecutable: 'Shop',
    CFBundleShortVersionString: '3.1.4',
    CFBundleVersion: '42',
  },
  crash: {
    error: {
      type: 'nsexception',
      reason: 'index 5 beyond bounds',
      nsexception: { name: 'NSRangeException' },
      mach: { exception: 10, exception_name: 'EXC_CRASH' },
      signal: { signal: 6, name: 'SIGABRT' },
    },
    threads: [
      { index: 0, crashed: false, backtrace: { contents: [{ object_name: 'Shop', symbol_name: 'main' }] } },
      {
        index: 1,
        crashed: true,
        backtrace: {
          contents: [
            { object_name: 'CoreFoundation', symbol_name: '__exceptionPreprocess', instruction_addr: 6451171024 },
            { object_name: 'Shop', symbol_name: '<redacted>', object_addr: 4294967296, instruction_addr: 4294971392 },
          ],
        },
      },
    ],
  },
}

export const RAVEN = {
  project: 'raven',
  event_id: '5d3c6c9c2b7f4b8d9a1f6e0c4d2b8a70',
  platform: 'javascript',
  release: '1.2.0',
  exception: {
    values: [
      {
        type: 'TypeError',
        value: 'undefined is not a function',
        stacktrace: {
          frames: [
            { filename: '/main.jsbundle', lineno: 1, function: 'start', in_app: true },
            { filename: '/main.jsbundle', lineno: 812, function: 'pay', in_app: true },
          ],
        },
      },
    ],
  },
}
