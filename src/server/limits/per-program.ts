import type { App } from '../../app.ts'

/** Makes one object for each program, on first use. Routes are declared once and serve several programs in tests. */
export function onePerProgram<T extends object>(make: (host: App) => T): (host: App) => T {
  const made = new WeakMap<App['kernel'], T>()
  return (host) => {
    const found = made.get(host.kernel) ?? make(host)
    made.set(host.kernel, found)
    return found
  }
}
