import { environmentName, type SettingName, type Settings } from './settings.ts'

/** `config/default.yaml`: every setting with its reason and its environment variable as a comment. */
export function defaultYaml(settings: Settings): string {
  const head =
    '# Every setting of appsvc with its default. Copy the ones you want to change into appsvc.yaml and pass it with --config.'
  return yamlOf(settings, [head], (_, line) => line)
}

/**
 * A settings file to edit: every setting with its reason, the default commented out, so that a later version may have another. `given` are the
 * settings that have a value in it already. The names of sections stand: to change a setting is to remove one #.
 */
export function commentedYaml(
  settings: Settings,
  head: readonly string[],
  given: Readonly<Record<string, string>> = {},
): string {
  const changed = Object.entries(given).map(([name, value]) => [
    name,
    { ...settings[name as SettingName], default: value },
  ])
  const lines = ['Settings of appsvc. Remove the # in front of a setting to change it.', ...head].map(
    (line) => `# ${line}`,
  )
  return yamlOf({ ...settings, ...Object.fromEntries(changed) }, lines, (name, line) =>
    Object.hasOwn(given, name) ? line : `#${line}`,
  )
}

/** The settings as YAML, each below its reason. `written` makes the line of a setting from `name: default`. */
function yamlOf(settings: Settings, head: readonly string[], written: (name: string, line: string) => string): string {
  const lines = [...head, '']
  let section = ''
  for (const [name, { default: value, why }] of Object.entries(settings)) {
    const [head, tail] = name.includes('.') ? (name.split('.') as [string, string]) : ['', name]
    if (head !== section && head !== '') lines.push(`${head}:`)
    section = head
    const indent = head ? '  ' : ''
    lines.push(
      `${indent}# ${why} (${environmentName(name)})`,
      written(name, `${indent}${tail}: ${/^[\w./:-]+$/.test(value) ? value : `'${value}'`}`),
    )
  }
  return `${lines.join('\n')}\n`
}

/** `docs/reference/settings.md`: the same as a page, with a table for each section. */
export function settingsPage(settings: Settings): string {
  const sections = Map.groupBy(Object.entries(settings), ([name]) => (name.includes('.') ? name.split('.')[0]! : ''))
  const tables = [...sections].map(([section, entries]) => {
    const rows = entries.map(([name, { default: value, why }]) => {
      const cells = [
        `\`${name}\``,
        value === '' ? '' : `\`${value}\``,
        why.replaceAll('|', '\\|'),
        `\`${environmentName(name)}\``,
      ]
      return `| ${cells.join(' | ')} |`
    })
    const heading = section === '' ? 'Settings without a section' : section
    return [`## ${heading}`, '', '| setting | default | | environment |', '|---|---|---|---|', ...rows].join('\n')
  })
  return `${[PAGE_HEAD, ...tables].join('\n\n')}\n`
}

const PAGE_HEAD = `# Settings

Every setting has a default. Later sources override earlier ones: defaults, the file (\`--config\`, \`APPSVC_CONFIG\`, or \`appsvc.yaml\` in the
working directory; of the Debian package \`/etc/appsvc.yaml\`), environment variables, flags. Settings are read at the start; restart the server to change them. \`appsvc config check\`
reports what is wrong, \`appsvc config show\` where each value comes from. In the file a dot begins a section:
\`database.url\` is \`url\` below \`database\`. This page is generated: \`appsvc config show --defaults --markdown\`.`
