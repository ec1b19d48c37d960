/** The part of a unit that it takes to start its service without systemd, as the story of the package does. */

export interface Service {
  command: string[]
  user: string
  environment: Record<string, string>
  workingDirectory: string
  /** Octal, as in the unit. */
  umask: string
}

/** Reads a unit (systemd.service(5)); `%S` is the directory of states. Throws when something that is used is missing. */
export function serviceOf(unit: string): Service {
  const values = new Map<string, string[]>()
  for (const [, name, value] of unit.matchAll(/^(\w+)=(.*)$/gm)) {
    values.set(name!, [...(values.get(name!) ?? []), value!.replaceAll('%S', '/var/lib')])
  }
  const only = (name: string) => {
    const [value, ...more] = values.get(name) ?? []
    if (value === undefined || more.length > 0) throw new Error(`the unit must have one line ${name}=`)
    return value
  }
  const pairs = (values.get('Environment') ?? []).map((pair) => [
    pair.slice(0, pair.indexOf('=')),
    pair.slice(pair.indexOf('=') + 1),
  ])
  return {
    command: only('ExecStart').split(' '),
    user: only('User'),
    environment: Object.fromEntries(pairs) as Record<string, string>,
    workingDirectory: only('WorkingDirectory'),
    umask: only('UMask'),
  }
}
