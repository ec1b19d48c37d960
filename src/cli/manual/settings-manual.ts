import { environmentName, type Settings } from '../../platform/config/settings.ts'
import { roff } from './manual.ts'

/** The man page of the settings file, appsvc.yaml(5), as roff with the man macros. `date` is `YYYY-MM-DD`. */
export function settingsManPage(settings: Settings, version: string, date: string): string {
  const lines = [
    `.TH APPSVC.YAML 5 "${date}" "appsvc ${version}" "appsvc"`,
    '.ad l',
    '.SH NAME',
    'appsvc.yaml \\- settings of appsvc',
    '.SH DESCRIPTION',
    roff(
      'The settings file is YAML. A dot in a name begins a section: log.level is the line "level" below the line "log".',
    ),
    roff('A variable of the environment comes before the file, and a flag before both.'),
    roff(
      'Settings are read at the start. appsvc config check tells what is wrong with them, appsvc config show where each comes from.',
    ),
    '.SH SETTINGS',
  ]
  for (const [name, { default: fallback, why }] of Object.entries(settings)) {
    lines.push('.TP', `.BR ${roff(name)} ", " ${roff(environmentName(name))}`, `${roff(why)}.`)
    if (fallback !== '') lines.push('.br', roff(`Default: ${fallback}`))
  }
  lines.push(
    '.SH FILES',
    '.TP',
    '.I /etc/appsvc.yaml',
    'The settings of the service, where the Debian package has installed it.',
    '.TP',
    '.I /etc/appsvc/environment',
    roff('Variables of the service, one NAME=value a line.'),
    '.SH SEE ALSO',
    '.BR appsvc (1)',
  )
  return `${lines.join('\n')}\n`
}
