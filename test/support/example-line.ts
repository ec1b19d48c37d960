/** The command line in an example of a command's help, split as a shell would, and what comes through its pipe. */
export function lineOfExample(example: string): { argv: string[]; stdin: string } {
  const at = example.lastIndexOf('appsvc ')
  const line = example.slice(at).replace(/ > .*$|\)"?$/, '')
  const argv = [...line.matchAll(/'[^']*'|"[^"]*"|\S+/g)].map(([word]) => word.replace(/^(['"])(.*)\1$/, '$2'))
  return { argv: argv.slice(1), stdin: /^echo '(.*)' \| $/.exec(example.slice(0, at))?.[1] ?? '' }
}
