import type { App } from '../../app.ts'

/** What each program has one of, made when it is first asked for: routes are declared once for all programs. */
export function onePerProgram<T extends object>(make: (host: App) => T): (host: App) => T {
  const made = new WeakMap<App['kernel'], T>()
  return (host) => {
    const found = made.get(host.kernel) ?? make(host)
    made.set(host.kernel, found)
    return found
  }
}
