import type { Program } from '../../program.ts'

/** Makes one object for each program, on first use. Routes are declared once and serve several programs in tests. */
export function onePerProgram<T extends object>(make: (program: Program) => T): (program: Program) => T {
  const made = new WeakMap<Program['kernel'], T>()
  return (program) => {
    const found = made.get(program.kernel) ?? make(program)
    made.set(program.kernel, found)
    return found
  }
}
